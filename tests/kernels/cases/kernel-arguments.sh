# shellcheck shell=sh
# timeout: 150
. /kernels/lib.sh

# Arguments of a kernel function: by name and type without a signature, by one, by number; members; the task.
echo text >"$T/known"
name='file->f_path.dentry->d_name.name'
run_tool trace --comm cat "p::vfs_read ($name == \"known\") \"named %s %d\", $name, \$task->pid == \$pid" \
	"p::vfs_read(struct file *f) (f->f_path.dentry->d_name.name == \"known\") \"typed %d\", f->f_pos" \
	"p::vfs_read ($name == \"known\") \"numbered %d\", arg3 == count" \
	"p::vfs_write \"written %.4s\", buf@user"
cat "$T/known" >"$T/copy" # reads twice
wait_for "[ \$(wc -l <'$tool_out') -ge 8 ]" 20
stop_tool TERM
expect_count 2 ' named known 1$' "$tool_out"
expect_equal "$(sed -n 's/.* typed //p' "$tool_out" | xargs)" '0 5'
expect_count 2 ' numbered 1$' "$tool_out"
expect_line ' written text$' "$tool_out"
