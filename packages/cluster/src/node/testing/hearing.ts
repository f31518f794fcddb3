import { silentLogger } from '@binnacle/base';
import type { Logger } from '@binnacle/base';

/** A logger, and what waits until it has been told something; what was told before that is forgotten then. */
export function hearing(): { readonly log: Logger; readonly until: (message: string) => Promise<void> } {
  const told: string[] = [];
  let heard: (() => void) | undefined;
  const tell = (message: string): void => {
    told.push(message);
    heard?.();
  };
  const log: Logger = {
    ...silentLogger,
    named: () => log,
    info: (_level, message) => tell(message),
    warn: (message) => tell(message),
    error: (_error, message) => tell(message),
  };
  const until = async (message: string): Promise<void> => {
    while (!told.includes(message)) await new Promise<void>((resolve) => (heard = resolve));
    told.splice(0, told.indexOf(message) + 1);
  };
  return { log, until };
}
