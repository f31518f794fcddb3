import type { Random } from '@binnacle/base';
import type { UserInfo } from '@binnacle/machinery';
import type { Catalogue } from './catalogue/catalogue.ts';
import { createInProcessWire } from './inprocess/wire.ts';
import type { CallFigures } from './observe/call-figures.ts';
import type { Pipeline } from './pipeline/pipeline.ts';
import type { OwnCalls } from './ports/world.ts';
import type { Changer } from './verbs/change.ts';
import { createGuaranteedUpdate } from './verbs/guaranteed-update.ts';

/** Whom the server is for its own calls. */
export const LOOPBACK_USER: UserInfo = {
  name: 'system:apiserver',
  groups: ['system:masters', 'system:authenticated'],
};

/** How the server calls itself, once it is put together. */
export function createOwnCalls(world: {
  readonly pipeline: Pipeline;
  readonly calls: CallFigures;
  readonly catalogue: Catalogue;
  readonly changer: Changer;
  readonly random: Random;
}): OwnCalls {
  return {
    loopback: createInProcessWire(world, LOOPBACK_USER),
    update: createGuaranteedUpdate(world),
    findKind: ({ group, version, kind }) =>
      world.catalogue.infos.find((info) => info.kind === kind && info.group === group && info.version === version),
  };
}
