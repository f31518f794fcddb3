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

/** Watches a file that others write until its text is what was waited for; answers with the text. */
export function untilFile(path: string, what: string, until: (text: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const text = textOf(path);
      if (until(text)) finish(() => resolve(text));
    };
    const finish = (act: () => void): void => {
      clearTimeout(timer);
      watcher.close();
      act();
    };
    const timer = setTimeout(() => {
      finish(() => reject(new TestkitError(`waited ${DEADLINE_MS} ms for ${what}; ${path} has:\n${textOf(path)}`)));
    }, DEADLINE_MS);
    const watcher = watch(dirname(path), look);
    look();
  });
}
