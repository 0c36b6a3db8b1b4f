# shellcheck shell=sh
# timeout: 150
. /kernels/lib.sh

# Arguments of a kernel function: by name and type without a signature, with one, by number; members; the
# task. Uses dd, because busybox's cat lets the kernel copy regular files.
echo text >"$T/known"
name='file->f_path.dentry->d_name.name'
run_tool trace --comm dd "p::vfs_read ($name == \"known\") \"named %s %d\", $name, \$task->pid == \$pid" \
	"p::vfs_read(struct file *f) (f->f_path.dentry->d_name.name == \"known\") \"typed %d\", f->f_pos" \
	"p::vfs_read ($name == \"known\") \"numbered %d\", arg3 == count" \
	"p::vfs_write \"written %.4s\", buf@user"
dd if="$T/known" of="$T/copy" bs=64 # reads twice
wait_for "[ \$(grep -c ' numbered ' '$tool_out') -eq 2 ]" 60
stop_tool TERM
expect_count 2 ' named known 1$' "$tool_out"
expect_equal "$(sed -n 's/.* typed //p' "$tool_out" | xargs)" '0 5'
expect_count 2 ' numbered 1$' "$tool_out"
expect_line ' written text$' "$tool_out"
