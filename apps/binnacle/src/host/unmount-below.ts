import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The mount points below a folder, deepest first. `mountinfo` writes blanks and their like as octal escapes. */
export function mountsBelow(folder: string, mountinfo: string): string[] {
  return mountinfo
    .split('\n')
    .map((line) =>
      (line.split(' ')[4] ?? '').replace(/\\([0-7]{3})/g, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 8)),
      ),
    )
    .filter((point) => point.startsWith(`${folder}/`))
    .sort((a, b) => b.length - a.length);
}

/** Takes away what a node that died mounted below a folder: volumes in memory and their like. */
export function unmountBelow(folder: string): void {
  if (process.platform !== 'linux') return;
  for (const point of mountsBelow(folder, readFileSync('/proc/self/mountinfo', 'utf8'))) {
    execFileSync('umount', ['--lazy', point], { stdio: 'pipe' });
  }
}
