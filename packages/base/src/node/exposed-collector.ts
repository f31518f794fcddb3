import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** V8's own collector; `last-resort` also gives back the pages that it would keep in its pool. */
export type Collect = (options: Whole | { readonly type: 'minor' }) => void;

interface Whole {
  readonly type: 'major';
  readonly execution: 'sync';
  readonly flavor: 'regular' | 'last-resort';
}

/** The function that `--expose-gc` gives to contexts made while it is set; nobody else gets it. */
export function exposeCollector(): Collect {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  return collect;
}
