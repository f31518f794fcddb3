import type { CallContext, Random } from '@binnacle/base';
import { groupVersion, status } from '@binnacle/machinery';
import type { KubeObject, UserInfo } from '@binnacle/machinery';
import type { Call, ServedResource } from '../catalogue/definition.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { GuaranteedUpdate } from '../ports/guaranteed-update.ts';
import { Query } from '../request/query.ts';
import { asDraft } from '../storage/draft.ts';
import type { Changer, ObjectChange } from './change.ts';
import { keepSystemFields } from './metadata.ts';
import { changeOf } from './update.ts';
import { refuseInvalid, validateNew } from './validation.ts';

const SELF: UserInfo = { name: 'system:apiserver', groups: ['system:masters'] };

export interface GuaranteedUpdateWorld {
  readonly catalogue: Catalogue;
  readonly changer: Changer;
  readonly random: Random;
}

type UpdateOptions = NonNullable<Parameters<GuaranteedUpdate>[2]>;

/** The read-change-swap loop for the server's own writes (bindings, roles): no authorisation, no admission. */
export function createGuaranteedUpdate({ catalogue, changer, random }: GuaranteedUpdateWorld): GuaranteedUpdate {
  return async (target, change, options = {}) => {
    const info = catalogue.stored(target.resource)?.info;
    const served = info === undefined ? undefined : catalogue.find(info.group, info.version, info.resource);
    if (served === undefined) throw status.notFound(target.resource, target.name);
    if (!served.stored.cache.ready) await served.stored.cache.start();
    const call = callFor(served, { ...target, ...options }, random);
    const reply = await changer.change(call, {
      ...ownChange(call, options),
      produce(before) {
        if (before === undefined) throw status.notFound(target.resource, target.name);
        const draft =
          options.shares === true
            ? { ...before, metadata: { ...before.metadata } }
            : served.schemas.decode<KubeObject>(served.info.schema, before).value;
        change(draft);
        return draft;
      },
      retries: true,
      createsMissing: false,
      unadmitted: true,
    });
    return reply.kind === 'entry' ? served.view(reply.entry) : (reply as { object: KubeObject }).object;
  };
}

/** The object and its parts as for everybody; what another subresource changes is not asked about. */
function ownChange(call: Call, { validate }: UpdateOptions): Pick<ObjectChange, 'prepare' | 'validate'> {
  const { subresource } = call.info;
  if (subresource === '' || call.served.subresources[subresource]?.part !== undefined) return changeOf(call);
  return {
    prepare: (object, before) => keepSystemFields(asDraft(object), before),
    validate: (object, _before, startTurns) =>
      validate === undefined
        ? validateNew(call.served, object, startTurns)
        : refuseInvalid(call.served, object, validate(object)),
  };
}

interface Target {
  readonly namespace: string;
  readonly name: string;
  readonly subresource?: string;
  readonly dryRun?: boolean;
  readonly user?: UserInfo;
  readonly context?: CallContext;
}

function callFor(served: ServedResource, target: Target, random: Random): Call {
  const { info: resource } = served;
  const path = `${groupVersion(resource)}/${resource.resource}/${target.name}`;
  const user = target.user ?? SELF;
  return {
    served,
    info: {
      isResource: true,
      group: resource.group,
      version: resource.version,
      resource: resource.resource,
      namespace: target.namespace,
      name: target.name,
      subresource: target.subresource ?? '',
      rest: '',
      legacyWatch: false,
      verb: 'update',
      path,
    },
    query: new Query({}),
    request: {
      method: 'PUT',
      path,
      query: new Query({}),
      header: () => '',
      credentials: {},
      user,
      body: { kind: 'none' },
    },
    user,
    dryRun: target.dryRun ?? false,
    fence: target.context?.fence,
    cause: target.context?.cause ?? { id: random.uuid(), component: user.name, request: `PUT ${path}` },
    warn: () => undefined,
    annotate: () => undefined,
    waited: () => undefined,
  };
}
