import { createMemoryFiles } from '../volume/memory-files.ts';
import type { MemoryFiles } from '../volume/memory-files.ts';

/** Files of which one cannot be written until it is let through. */
export function heldFiles(path: string): { readonly files: MemoryFiles; readonly hold: () => () => void } {
  const files = createMemoryFiles();
  const write = files.writeFile.bind(files);
  let gate = Promise.resolve();
  files.writeFile = async (...args) => {
    if (args[0] === path) await gate;
    await write(...args);
  };
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    return resolve;
  };
  return { files, hold };
}
