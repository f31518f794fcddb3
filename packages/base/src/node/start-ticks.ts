import { readFileSync } from 'node:fs';

/**
 * When a process started, in the kernel's ticks (field 22 of /proc/PID/stat): with its pid that is who it is, whatever program
 * it runs, and also while it is between two. Empty where there is no such process, where it has ended and only waits for its
 * parent, and where there is no /proc.
 */
export function startTicks(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name, in parentheses, may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? '' : (fields[19] ?? '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'ESRCH')
      return '';
    throw error;
  }
}
