#!/bin/bash
# timeout: 300
# shares: bookworm
source "$(dirname "$0")/../../lib.sh"
source "$ROOT/tests/debian/root.bash"

# The QString of Qt 5 and of Qt 6, as Debian 12 has them: UTF-16, by its length.
need_command g++
cat >"$T/strings.cpp" <<'END'
#include <QtCore/QString>
struct Person {
    int age;
    QString name;
};
__attribute__((noipa)) int show(const QString &text, QString *pointer, const Person &person)
{
    return text.size() + pointer->size() + person.age;
}
__attribute__((noipa)) int value(QString text) { return text.size(); }
int main()
{
    QString long_text(300, 'x'), empty, greek = QString::fromUtf8("\xce\xb1\xce\xb2 \xf0\x9f\x98\x80 z");
    Person person = {41, "Ada"};
    show("first", &greek, person);
    show(empty, &long_text, person);
    value(QString("by value").mid(3));
    value(QString::fromRawData(reinterpret_cast<const QChar *>(u"raw data"), 3));
}
END
get_headers() { # PACKAGE
	(cd "$new" && update_suite bookworm && suite_apt bookworm apt-get download "$1" && dpkg-deb -x ./*.deb root) &&
		mv -T "$new/root" "$cache/qt/$1"
}
for version in 5 6; do
	library=libqt5core5a headers=qtbase5-dev
	[ "$version" -eq 5 ] || library=libqt6core6 headers=qt6-base-dev
	debian_root bookworm "$library"
	[ -d "$cache/qt/$headers" ] || alone "$cache/qt" get_headers "$headers" >"$T/download" 2>&1 ||
		skip "$headers cannot be had: $(tail -n 1 "$T/download")"
	folder=$cache/qt/$headers/usr/include/x86_64-linux-gnu/qt$version
	g++ -std=c++17 -g -O1 -fPIC -I "$folder" -I "$folder/QtCore" -o "$T/strings$version" "$T/strings.cpp" \
		"$root/usr/lib/x86_64-linux-gnu/libQt${version}Core.so.$version" -Wl,--allow-shlib-undefined
	program=$T/strings$version
	run "$BIN/trace" -q "$program:show \"%s|%s|%s|%d\", text, pointer, person.name, person.age" \
		"$program:value \"%s\", text" --exec -- "${in_root[@]}" "$program"
	expect_status 0
	expect_equal "$(sed -nE 's/^[0-9]+ +[0-9]+ +strings. +[a-z]+ +//p' "$tool_out")" "first|αβ 😀 z|Ada|41
|$(printf 'x%.0s' {1..40})...|Ada|41
value
raw"
	run "$BIN/trace" -q --json "$program:show (text == \"first\") \"%v\", person" --exec -- "${in_root[@]}" "$program"
	expect_count 1 '"args":\[\{"age":41,"name":"Ada"\}\]' "$tool_out"
	run "$BIN/trace" -q "$program:show (starts_with(text, \"fi\") && pointer == \"αβ 😀 z\" && text != \"firsT\")" \
		"$program:show (starts_with(text, \"first!\") || text == \"firs\") \"bad\"" \
		"$program:show (text == \"\") \"empty\"" --exec -- "${in_root[@]}" "$program"
	expect_count 2 ' show ' "$tool_out"
	expect_line 'show +empty$' "$tool_out"
	run "$BIN/trace" -q "$program:show" --exec -- "${in_root[@]}" "$program"
	expect_line 'show +text="first", pointer=.*, person=0x' "$tool_out"

	# Without debug information: by the type in the function's name, and the library that the file needs.
	strip -g -o "$T/bare$version" "$program"
	program=$T/bare$version
	run "$BIN/trace" -q "$program:show \"%s|%s\", arg1, arg2" "$program:value \"%s\", arg1" \
		"$program:show(QString const &text) (starts_with(text, \"firs\")) \"typed %s\", text" --exec -- "${in_root[@]}" "$program"
	expect_status 0
	expect_equal "$(sed -nE 's/^[0-9]+ +[0-9]+ +bare. +[a-z]+ +//p' "$tool_out" | sort)" "first|αβ 😀 z
raw
typed first
value
|$(printf 'x%.0s' {1..40})..."
	run "$BIN/trace" -q "$program:show" --exec -- "${in_root[@]}" "$program"
	expect_line ' show +arg1\?="first", ' "$tool_out"
done

# A file that does not show the version of Qt: its text could not be read.
cat >"$T/other.cpp" <<'END'
struct QString { const char *text; ~QString(); };
QString::~QString() {}
__attribute__((noipa)) int show(const QString &text) { return text.text[0]; }
__attribute__((noipa)) int value(QString text) { return text.text[0]; }
int main()
{
    QString text = {"text"};
    return show(text) + value(text) == 0;
}
END
g++ -O1 -o "$T/other" "$T/other.cpp"
run "$BIN/trace" "$T/other:show \"%s\", arg1" --exec -- "$T/other"
expect_status 2
expect_line '^trace: this points to a QString of unknown layout \(the file needs neither libQt5Core nor libQt6Core\), not to characters' "$tool_err"
run "$BIN/trace" -q "$T/other:"{show,value} --exec -- "$T/other"
expect_line ' show +arg1\?=0x' "$tool_out"
expect_line ' value +QString=<its type is unknown' "$tool_out"
