import type { Features, ResourceInfo } from '@binnacle/api';
import type { Logger } from '@binnacle/base';
import type { SchemaRegistry } from '@binnacle/machinery';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { AdmissionChain } from '../verbs/admission.ts';
import { Responding } from '../verbs/respond.ts';
import { createScale } from '../verbs/scale.ts';
import type { AdmissionMeasures } from '../ports/measures.ts';
import type { OwnCalls } from '../ports/world.ts';
import { CustomKinds } from './apiextensions/custom-kinds.ts';
import { joinBehaviours } from './behaviour.ts';
import type { KindBehaviours } from './behaviour.ts';
import { builtInDefinitions } from './built-in.ts';
import { withoutGated } from './gated-fields.ts';
import { metricsDefinitions } from './metrics/definitions.ts';
import { ownBehaviours, statusSubresource } from './own-kinds.ts';
import type { OwnKindsWorld } from './own-kinds.ts';
import { KINDS } from './table.ts';

export interface DefineWorld extends OwnKindsWorld, OwnCalls {
  readonly log: Logger;
  /** Who keeps score of expressions; absent: nobody. */
  readonly measures?: AdmissionMeasures;
  readonly admission: AdmissionChain;
  readonly schemas: SchemaRegistry;
  /** What kinds do by the choice of policy. */
  readonly more: KindBehaviours;
  /** Undefined: an hour. */
  readonly eventTtlSeconds: number | undefined;
  /** Resources that were asked for beside those that are always served. */
  readonly onRequest: readonly ResourceInfo[];
  /** Which fields and values kinds have beside those that they always have. */
  readonly features: Features;
}

/** Puts Kubernetes' own resources into the catalogue; what comes back puts custom ones there while the server runs. */
export function defineKinds(catalogue: Catalogue, world: DefineWorld): CustomKinds {
  const { verbs, admission, schemas, more } = world;
  const status = statusSubresource(verbs);
  const behaviours = joinBehaviours(KINDS, ownBehaviours(world), more, lifeOfEvents(world.eventTtlSeconds));
  const definitions = builtInDefinitions({
    onRequest: world.onRequest,
    behaviours: withoutGated(behaviours, world.features),
    responding: new Responding({ admission, schemas }),
    admission,
    common: { status, scale: createScale(world) },
  });
  const { nodes } = world;
  // Who has no way to kubelets has nothing to tell.
  const figures = nodes === undefined ? [] : metricsDefinitions({ ...world, nodes });
  for (const definition of [...definitions, ...figures]) catalogue.add(definition);
  return new CustomKinds({ ...world, catalogue, status });
}

function lifeOfEvents(ttlSeconds: number | undefined): KindBehaviours {
  return ttlSeconds === undefined ? {} : { events: { ttlSeconds } };
}
