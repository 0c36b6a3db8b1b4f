// The script in a flame graph: fits the picture into the window, zooms and searches.
// flame_graph.cpp describes the file's layout.
#pragma once

#include <string_view>

namespace uscope::output {

constexpr std::string_view flame_graph_script = R"script(
'use strict';
(() => {
const pane = document.getElementById('frames'), svg = pane.ownerSVGElement;
const [margin, above, below, full, character] =
    ['margin', 'above', 'below', 'row', 'character'].map(name => Number(pane.dataset[name]));
const legible = 12, thin = 2; // heights of rows that do not all fit
const [heading, note, details, status, reset, find] =
    ['heading', 'note', 'details', 'status', 'reset', 'search'].map(id => document.getElementById(id));
const texts = new Map([heading, note].map(element => [element, element.textContent]));
const help = 'Click a box to zoom. Keys: / searches, arrows move, Enter zooms, Esc resets.';

const frames = Array.from(pane.children, g => {
    const title = g.querySelector('title').textContent;
    const at = Number(g.dataset.at), count = Number(g.dataset.count);
    return { g, title, at, count, end: at + count, depth: Number(g.dataset.depth), children: [],
             rect: g.querySelector('rect'), text: g.querySelector('text'),
             name: title.slice(0, title.lastIndexOf(' (')) };
});
const all = frames.at(-1);
if (!all)
    return;
const path = [];
for (const frame of frames.slice().reverse()) { // a caller follows its callees in the file
    path[frame.depth] = frame;
    frame.parent = path[frame.depth - 1];
    frame.parent?.children.unshift(frame);
}
// Boxes in the middle of a chain look like those above and below them.
for (const frame of frames)
    frame.chain = frame.parent?.count === frame.count &&
        frame.children.some(child => child.count === frame.count);

let zoomed = all, selected = null;

function fit(text, pixels, size = 12) {
    const most = Math.floor((pixels - 6) / (character * size / 12));
    const letters = Array.from(text);
    if (most < 3)
        return '';
    return letters.length <= most ? text : letters.slice(0, most - 2).join('') + '..';
}

// Returns the heights of the rows of boxes. If they do not fit, the rows in which stacks branch or
// end stay legible, those with the widest such boxes first, and the others become thin.
function rows(shown, space) {
    const count = 1 + shown.reduce((most, frame) => Math.max(most, frame.depth), 0);
    if (count * legible <= space)
        return Array(count).fill(Math.min(full, space / count));
    const widths = Array(count).fill(0);
    for (const frame of shown)
        if (!frame.chain && frame.pixels > 40)
            widths[frame.depth] += frame.pixels;
    const least = Math.min(thin, space / count);
    const most = Math.floor((space - count * least) / (legible - least));
    const best = widths.map((width, depth) => [width, depth]).sort((a, b) => b[0] - a[0]);
    const heights = Array(count).fill(least);
    for (const [, depth] of best.slice(0, most))
        heights[depth] = legible;
    return heights;
}

function place(frame, y, height) {
    const gap = size => (size > 2 ? size - 0.5 : size).toFixed(2);
    const size = Math.min(12, height - 3), shown = height < legible - 1 ? '' : fit(frame.name, frame.pixels, size);
    const set = (element, values) =>
        Object.entries(values).forEach(([name, value]) => element.setAttribute(name, value));
    set(frame.rect, { x: frame.x.toFixed(2), y: y.toFixed(2), width: gap(frame.pixels), height: gap(height) });
    if (!frame.text && shown)
        frame.text = frame.g.appendChild(document.createElementNS('http://www.w3.org/2000/svg', 'text'));
    if (!frame.text)
        return;
    frame.text.textContent = shown;
    frame.text.style.fontSize = size + 'px';
    set(frame.text, { x: (frame.x + 3).toFixed(2), y: (y + height / 2 + size * 0.33).toFixed(2) });
}

// Gives the zoomed box and its callers the whole width, and hides the boxes next to them.
function draw() {
    const view = svg.viewBox.baseVal;
    if (svg === document.documentElement)
        Object.assign(view, { width: innerWidth, height: innerHeight });
    svg.setAttribute('width', view.width);
    svg.setAttribute('height', view.height);
    const width = view.width - 2 * margin, scale = width / zoomed.count;
    const shown = [];
    for (const frame of frames) {
        const caller = frame.depth < zoomed.depth && frame.at <= zoomed.at && frame.end >= zoomed.end;
        const inside = frame.depth >= zoomed.depth && frame.at >= zoomed.at && frame.end <= zoomed.end;
        frame.g.classList.toggle('caller', caller);
        frame.g.style.display = caller || inside ? '' : 'none';
        if (!caller && !inside)
            continue;
        frame.x = caller ? margin : margin + (frame.at - zoomed.at) * scale;
        frame.pixels = caller ? width : frame.count * scale;
        shown.push(frame);
    }
    let y = view.height - below;
    const heights = rows(shown, y - above), tops = heights.map(height => y -= height);
    for (const frame of shown)
        place(frame, tops[frame.depth], heights[frame.depth]);
    for (const [element, text] of texts)
        element.textContent = fit(text, width - 170, element === heading ? 14 : 12);
    reset.style.visibility = zoomed === all ? 'hidden' : 'visible';
}

function zoom(target) {
    zoomed = target;
    draw();
}

function show(frame) {
    details.textContent = fit(frame ? frame.title : help, svg.viewBox.baseVal.width - 2 * margin);
}

function select(frame) {
    if (frame?.g.style.display === 'none')
        return;
    selected?.g.classList.remove('selected');
    frame?.g.classList.add('selected');
    selected = frame;
    show(frame);
}

function beside(frame, step) {
    const siblings = frame.parent?.children ?? [];
    return siblings[siblings.indexOf(frame) + step] ?? frame;
}

// Marks the matching boxes and shows their share of all counts. A match on top of another match is
// not counted again.
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
            counted += frame.count;
            end = frame.end;
        }
    }
    status.textContent = expression ? 'matched ' + (100 * counted / all.count).toFixed(2) + '%' : '';
}

function ask() {
    const pattern = prompt('Functions that match this regular expression (empty: none):', '');
    if (pattern !== null)
        search(pattern);
}

const widest = frame => frame.children.reduce((a, b) => (b.count > a.count ? b : a), frame.children[0] ?? frame);
const keys = {
    '/': ask,
    Escape: () => { select(null); zoom(all); },
    Enter: () => selected && zoom(selected),
    ArrowUp: () => select(selected ? widest(selected) : zoomed),
    ArrowDown: () => select(selected?.parent ?? zoomed),
    ArrowLeft: () => select(selected ? beside(selected, -1) : zoomed),
    ArrowRight: () => select(selected ? beside(selected, 1) : zoomed),
};
addEventListener('keydown', event => {
    const finds = (event.ctrlKey || event.metaKey) && event.key === 'f';
    const action = finds ? ask : event.ctrlKey || event.metaKey || event.altKey ? null : keys[event.key];
    if (!action)
        return;
    event.preventDefault();
    const button = [reset, find].find(element => element === document.activeElement);
    event.key === 'Enter' && button ? button.dispatchEvent(new MouseEvent('click')) : action();
});
const frame_of = element => frames.find(frame => frame.g === element.closest('#frames > g'));
pane.addEventListener('click', event => zoom(frame_of(event.target)));
pane.addEventListener('mouseover', event => show(frame_of(event.target)));
pane.addEventListener('mouseout', () => show(selected));
reset.addEventListener('click', keys.Escape);
find.addEventListener('click', ask);
find.style.visibility = 'visible';
addEventListener('resize', draw);
draw();
show(null);
})();
)script";

}  // namespace uscope::output
