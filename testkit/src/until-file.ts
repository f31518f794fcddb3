import { readFileSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { TestkitError } from './errors.ts';

const DEADLINE_MS = 20_000;

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/**
 * Watches a file that others write until its text is what was waited for; answers with the text. What `until` throws is
 * the end of it too.
 */
export function untilFile(
  path: string,
  wanted: { readonly what: string; readonly until: (text: string) => boolean; readonly deadlineMs?: number },
): Promise<string> {
  const { what, until, deadlineMs = DEADLINE_MS } = wanted;
  return new Promise((resolve, reject) => {
    const look = (): void => {
      try {
        const text = textOf(path);
        if (until(text)) finish(() => resolve(text));
      } catch (error) {
        finish(() => reject(error));
      }
    };
    const finish = (act: () => void): void => {
      clearTimeout(timer);
      watcher.close();
      act();
    };
    const timer = setTimeout(() => {
      finish(() => reject(new TestkitError(`waited ${deadlineMs} ms for ${what}; ${path} has:\n${textOf(path)}`)));
    }, deadlineMs);
    const watcher = watch(dirname(path), look);
    look();
  });
}
