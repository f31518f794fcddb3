import { createLoggingWire } from '@binnacle/client';
import type { Wire } from '@binnacle/machinery';
import type { World } from './world.ts';

/** A wire whose log lines carry the name of whom it speaks for. */
export function tell(wire: Wire, user: string, { clock, log }: World): Wire {
  return createLoggingWire(wire, { clock, log: log.named(user) });
}
