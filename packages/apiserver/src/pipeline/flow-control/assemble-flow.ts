import type { Clock } from '@binnacle/base';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { FlowControl } from '../../fairness/flow-control.ts';
import { FlowObjects } from '../../fairness/follow-objects.ts';
import { BodyLedger } from './body-ledger.ts';
import type { FlowControlWorld } from './flow-control.ts';
import { createServedStock } from './served-stock.ts';

/** What bounds requests: their bodies, and the seats that they take. */
export interface FlowAssembly extends FlowControlWorld {
  readonly bodies: BodyLedger;
  /** Puts the objects of the API to work, once the server can be called. */
  follow(world: ConstructorParameters<typeof FlowObjects>[0]): FlowObjects;
}

/** `seats`: of the whole server; undefined: upstream's default. */
export function assembleFlow(
  clock: Clock,
  catalogue: Pick<Catalogue, 'find'>,
  seats: number | undefined,
): FlowAssembly {
  const control = new FlowControl({ clock, ...(seats === undefined ? {} : { seats }) });
  return {
    control,
    bodies: new BodyLedger(),
    stock: createServedStock(catalogue),
    follow: (world) => new FlowObjects({ ...world, log: world.log.named('flow-control') }, control),
  };
}
