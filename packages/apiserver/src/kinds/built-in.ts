import { findResource, kindRules, RESOURCES } from '@binnacle/api';
import type { KindRules, ResourceInfo } from '@binnacle/api';
import { assert } from '@binnacle/base';
import { groupVersion } from '@binnacle/machinery';
import type {
  AnyCall,
  ComputedDefinition,
  Definition,
  Handlers,
  StoredDefinition,
  SubresourceDefinition,
  VersionDefinition,
} from '../catalogue/definition.ts';
import { resourceName } from '../catalogue/definition.ts';
import { PLAIN_TRAITS } from '../catalogue/traits.ts';
import type { Responder } from '../ports/responder.ts';
import type { AdmissionChain } from '../verbs/admission.ts';
import { admittedConnection, isConnection } from '../verbs/connect.ts';
import type { Responding } from '../verbs/respond.ts';
import type { KindBehaviour, KindBehaviours } from './behaviour.ts';

export interface BuiltInWorld {
  /** What is served beside that which always is. */
  readonly onRequest: readonly ResourceInfo[];
  readonly behaviours: KindBehaviours;
  readonly responding: Responding;
  /** Of connections. */
  readonly admission: AdmissionChain;
  /** What answers the subresources that are the same for all kinds: `status`, `scale`. */
  readonly common: { readonly [subresource: string]: SubresourceDefinition };
}

/**
 * The definitions of Kubernetes' own resources: rows of the resource table, with what only some of them do. The one
 * file that reads that table; everybody else asks the catalogue.
 */
export function builtInDefinitions(world: BuiltInWorld): Definition[] {
  const byName = Map.groupBy([...RESOURCES, ...world.onRequest], (info) => resourceName(storageOf(info)));
  return [...byName].map(([name, infos]) => {
    const behaviour = world.behaviours[name] ?? {};
    const [first] = infos;
    return first?.virtual === true
      ? computedDefinition(name, infos, { behaviour, world })
      : storedDefinition(name, infos, { behaviour, world });
  });
}

function storageOf(info: ResourceInfo): ResourceInfo {
  const { group, version } = info.storage;
  return findResource(group, version, info.resource) ?? info;
}

interface Making {
  readonly behaviour: KindBehaviour;
  readonly world: BuiltInWorld;
}

function storedDefinition(name: string, infos: readonly ResourceInfo[], making: Making): StoredDefinition {
  const { strategy = {}, checks, eager, indexedField, ...behaviour } = making.behaviour;
  const [first] = infos as readonly [ResourceInfo];
  const storage = storageOf(first);
  return {
    kind: 'stored',
    name,
    storage,
    versions: infos.map((info) => versionOf(info, making)),
    rules: checks === undefined ? kindRules(storage.group, storage.kind) : checked(storage, checks),
    strategy,
    traits: {
      generation: behaviour.generation ?? PLAIN_TRAITS.generation,
      unconditionalUpdate: behaviour.unconditionalUpdate ?? PLAIN_TRAITS.unconditionalUpdate,
      createOnUpdate: behaviour.createOnUpdate ?? PLAIN_TRAITS.createOnUpdate,
      returnsDeleted: behaviour.returnsDeleted ?? PLAIN_TRAITS.returnsDeleted,
      orphansByDefault: behaviour.orphansByDefault ?? PLAIN_TRAITS.orphansByDefault,
      ttlSeconds: behaviour.ttlSeconds ?? PLAIN_TRAITS.ttlSeconds,
    },
    ...(eager === undefined ? {} : { eager }),
    ...(indexedField === undefined ? {} : { indexedField }),
    ...(KEPT_AS_JSON.has(storage.group) ? {} : { forgetsEmpties: true }),
  };
}

/** Definitions of custom kinds and APIServices, whose servers were apart once: upstream keeps them as they are written. */
const KEPT_AS_JSON = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);

/** The rules of a kind, and what has to hold beside them; that is looked at where the rules found nothing. */
function checked({ group, kind }: ResourceInfo, checks: NonNullable<KindBehaviour['checks']>): KindRules {
  const rules = kindRules(group, kind);
  assert(rules.findings === undefined, 'what is looked at piece by piece has no checks beside that', { kind });
  return {
    ...rules,
    validate(object) {
      const errors = rules.validate?.(object) ?? [];
      return errors.length > 0 ? errors : (checks.validate?.(object) ?? []);
    },
    validateUpdate(object, before) {
      const errors = rules.validateUpdate?.(object, before) ?? [];
      return errors.length > 0 ? errors : (checks.validateUpdate?.(object, before) ?? []);
    },
    warnings: (object, before) => [
      ...(rules.warnings?.(object, before) ?? []),
      ...(checks.warnings?.(object, before) ?? []),
    ],
  };
}

function versionOf(info: ResourceInfo, { behaviour, world }: Making): VersionDefinition {
  const { columns, versions } = behaviour;
  return {
    info,
    ...(columns === undefined ? {} : { columns }),
    ...versions?.[groupVersion(info)],
    subresources: Object.fromEntries(
      info.subresources.flatMap((sub) => {
        const own = behaviour.subresources?.[sub.name] ?? world.common[sub.name];
        if (own === undefined) return [];
        return [[sub.name, answered(world, sub, own)]];
      }),
    ),
  };
}

function answered(
  world: BuiltInWorld,
  sub: ResourceInfo['subresources'][number],
  own: Responder | SubresourceDefinition,
): SubresourceDefinition {
  if (isResponder(own)) return responding(world, sub, own);
  return isConnection(sub) ? admittedConnection(world.admission, sub, own) : own;
}

function responding(
  world: BuiltInWorld,
  sub: ResourceInfo['subresources'][number],
  responder: Responder,
): SubresourceDefinition {
  const handler = world.responding.subresource(sub, responder);
  return { handlers: Object.fromEntries(sub.verbs.map((verb) => [verb, handler])) };
}

function computedDefinition(name: string, infos: readonly ResourceInfo[], making: Making): ComputedDefinition {
  const { warning } = making.behaviour;
  const told = warning === undefined ? {} : { warning };
  const versions = infos.map((info) => ({ info, handlers: handlersOf(info, making), ...told }));
  return { kind: 'computed', name, versions };
}

function handlersOf(info: ResourceInfo, { behaviour: { answer }, world }: Making): Handlers<AnyCall> {
  if (answer === undefined) return {};
  if (!isResponder(answer)) return answer;
  const handler = world.responding.resource(info, answer);
  return Object.fromEntries(info.verbs.map((verb) => [verb, handler]));
}

function isResponder(value: object): value is Responder {
  return 'handle' in value && typeof value.handle === 'function';
}
