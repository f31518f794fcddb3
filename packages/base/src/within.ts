import type { Clock } from './clock.ts';

/** How long somebody waits, in milliseconds; `background`: it does not keep the process alive. */
export interface Patience {
  readonly clock: Clock;
  readonly ms: number;
  readonly background?: boolean;
}

/** What `awaited` comes to, or undefined where that takes longer; it goes on then, and its failure is nobody's. */
export async function within<T>(
  awaited: Promise<T>,
  { clock, ms, background = false }: Patience,
): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = clock.after(Math.max(0, ms), () => late.resolve(undefined), { background });
  try {
    return await Promise.race([awaited, late.promise]);
  } finally {
    timer.cancel();
  }
}
