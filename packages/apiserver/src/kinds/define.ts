import type { SchemaRegistry } from '@binnacle/machinery';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { AdmissionChain } from '../verbs/admission.ts';
import { Responding } from '../verbs/respond.ts';
import { createScale } from '../verbs/scale.ts';
import { joinBehaviours } from './behaviour.ts';
import type { KindBehaviours } from './behaviour.ts';
import { builtInDefinitions } from './built-in.ts';
import { ownBehaviours, statusSubresource } from './own-kinds.ts';
import type { OwnKindsWorld } from './own-kinds.ts';
import { KINDS } from './table.ts';

export interface DefineWorld extends OwnKindsWorld {
  readonly admission: AdmissionChain;
  readonly schemas: SchemaRegistry;
  /** What kinds do by the choice of policy. */
  readonly more: KindBehaviours;
}

/** Puts Kubernetes' own resources into the catalogue. */
export function defineBuiltIns(catalogue: Catalogue, world: DefineWorld): void {
  const { verbs, changer, admission, schemas, more } = world;
  const definitions = builtInDefinitions({
    behaviours: joinBehaviours(KINDS, ownBehaviours(world), more),
    responding: new Responding({ admission, schemas }),
    common: { status: statusSubresource(verbs), scale: createScale({ changer, schemas }) },
  });
  for (const definition of definitions) catalogue.add(definition);
}
