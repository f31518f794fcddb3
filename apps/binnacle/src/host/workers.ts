/** Worker files of the published bundle lie beside the program; sources find their own. */
export interface WorkerUrls {
  readonly store?: URL;
}

/** Where the workers' code is: known only in a bundle. */
export function workerUrls(): WorkerUrls {
  if (import.meta.url.endsWith('.ts')) return {};
  return { store: new URL('./store-worker.mjs', import.meta.url) };
}
