import type { Scope } from '@binnacle/base';
import { createEventRecorder } from '@binnacle/client';
import type { Client, ClientWorld, EventRecorder } from '@binnacle/client';
import type { Informers } from './informers.ts';

/** What every controller is handed. */
export interface ControllerKit {
  /** Speaks as this controller. */
  readonly client: Client;
  readonly world: ClientWorld;
  readonly scope: Scope;
  readonly informers: Informers;
}

/** A recorder that reports under a controller's name. */
export function recorderFor(kit: ControllerKit, component: string): EventRecorder {
  return createEventRecorder({ client: kit.client, world: kit.world, scope: kit.scope, component });
}
