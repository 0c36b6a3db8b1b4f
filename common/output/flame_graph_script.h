// The script in a flame graph: zoom and search. flame_graph.cpp describes the file's layout.
#pragma once

#include <string_view>

namespace uscope::output {

constexpr std::string_view flame_graph_script = R"script(
'use strict';
(() => {
const pane = document.getElementById('frames');
const left = Number(pane.dataset.left), width = Number(pane.dataset.width);
const button = { reset: document.getElementById('reset'), search: document.getElementById('search') };
const status = document.getElementById('status');

const frames = Array.from(pane.children, g => {
    const title = g.querySelector('title').textContent;
    const at = Number(g.dataset.at), count = Number(g.dataset.count);
    return { g, at, end: at + count, depth: Number(g.dataset.depth), rect: g.querySelector('rect'),
             text: g.querySelector('text'), name: title.slice(0, title.lastIndexOf(' (')) };
});
const all = frames.find(frame => frame.depth === 0);

function fit(name, pixels) {
    const most = Math.floor((pixels - 6) / Number(pane.dataset.character));
    const letters = Array.from(name);
    if (most < 3)
        return '';
    return letters.length <= most ? name : letters.slice(0, most - 2).join('') + '..';
}

function drawn(pixels) {
    return pixels > 2 ? pixels - 0.5 : pixels;
}

function place(frame, x, pixels) {
    frame.rect.setAttribute('x', x.toFixed(2));
    frame.rect.setAttribute('width', drawn(pixels).toFixed(2));
    const shown = fit(frame.name, pixels);
    if (!frame.text && shown) {
        frame.text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
        frame.text.setAttribute('y', Number(frame.rect.getAttribute('y')) + 12);
        frame.g.append(frame.text);
    }
    if (frame.text) {
        frame.text.setAttribute('x', (x + 3).toFixed(2));
        frame.text.textContent = shown;
    }
}

// Gives the target and its callers the whole width, and hides the boxes next to them.
function zoom(target) {
    const scale = width / (target.end - target.at);
    for (const frame of frames) {
        const caller = frame.depth < target.depth && frame.at <= target.at && frame.end >= target.end;
        const inside = frame.depth >= target.depth && frame.at >= target.at && frame.end <= target.end;
        frame.g.classList.toggle('caller', caller);
        frame.g.style.display = caller || inside ? '' : 'none';
        if (caller)
            place(frame, left, width);
        else if (inside)
            place(frame, left + (frame.at - target.at) * scale, (frame.end - frame.at) * scale);
    }
    button.reset.style.visibility = target === all ? 'hidden' : 'visible';
}

// Colours the matching frames and shows their share of all counts. A match on top of another match
// is not counted again.
function search(pattern) {
    let expression = null;
    try {
        expression = pattern && new RegExp(pattern);
    } catch (error) {
        status.textContent = error.message;
        return;
    }
    const matches = frames.filter(frame => expression && frame !== all && expression.test(frame.name));
    const found = new Set(matches);
    for (const frame of frames)
        frame.g.classList.toggle('match', found.has(frame));
    let counted = 0, end = 0;
    for (const frame of matches.sort((a, b) => a.at - b.at || a.depth - b.depth)) {
        if (frame.at >= end) {
            counted += frame.end - frame.at;
            end = frame.end;
        }
    }
    status.textContent =
        expression ? 'matched ' + (100 * counted / (all.end - all.at)).toFixed(2) + '%' : '';
}

function ask() {
    const pattern = prompt('Functions that match this regular expression (empty: none):', '');
    if (pattern !== null)
        search(pattern);
}

if (!all)
    return;
pane.addEventListener('click', event => {
    const frame = frames.find(candidate => candidate.g.contains(event.target));
    if (frame)
        zoom(frame);
});
button.reset.addEventListener('click', () => zoom(all));
button.search.addEventListener('click', ask);
button.search.style.visibility = 'visible';
addEventListener('keydown', event => {
    if (event.key === 'Escape')
        zoom(all);
    if ((event.ctrlKey || event.metaKey) && event.key === 'f') {
        event.preventDefault();
        ask();
    }
});
})();
)script";

}  // namespace uscope::output
