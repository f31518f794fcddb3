/**
 * Entry points of the bundle by the name they have in the package: the program, what is imported from it, and each
 * thread's file, as a thread is started by the path of its file.
 */
export const ENTRIES = {
  main: 'apps/binnacle/src/main.ts',
  scheduler: 'apps/binnacle/src/scheduler.ts',
  'store-worker': 'packages/store/src/sqlite/worker.ts',
  'yaml-worker': 'packages/apiserver/src/node/yaml-worker.ts',
} as const;

/** What a program may import from the package, by its name there: code and types. */
export const DOORS = { scheduler: ENTRIES.scheduler } as const;
