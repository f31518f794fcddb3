import { schemas } from '@binnacle/api';
import { groupVersion, status } from '@binnacle/machinery';
import type { KubeObject, UserInfo } from '@binnacle/machinery';
import type { Core } from '../core.ts';
import type { GuaranteedUpdate } from '../ports/guaranteed-update.ts';
import { Query } from '../request/query.ts';
import type { AnyCall, Call } from '../catalogue/call.ts';
import { asDraft } from '../storage/draft.ts';
import { keepSystemFields } from './metadata.ts';
import type { ServedResource } from '../catalogue/resource.ts';
import { changeObject } from './update-loop.ts';
import type { ObjectChange } from './update-loop.ts';
import { changeOf } from './update.ts';
import { validateNew } from './validation.ts';

const SELF: UserInfo = { name: 'system:apiserver', groups: ['system:masters'] };

/** The read-change-swap loop for policy's own writes (bindings, token secrets): no authorisation, no admission. */
export function createGuaranteedUpdate(core: Core): GuaranteedUpdate {
  return async (target, change, options = {}) => {
    const stored = core.resources.stored(target.resource);
    const info = stored?.info;
    const served = info === undefined ? undefined : core.resources.find(info.group, info.version, info.resource);
    if (served === undefined) throw status.notFound(target.resource, target.name);
    if (!served.stored.cache.ready) await served.stored.cache.start();
    const call = callFor(core, served, { ...target, ...options });
    const reply = await changeObject(core, call, {
      ...ownChange(call),
      produce(before) {
        if (before === undefined) throw status.notFound(target.resource, target.name);
        const draft = schemas.decode<KubeObject>(served.info.schema, before).value;
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

/** The object and its status as for everybody; what another subresource (`binding`) changes is not asked about. */
function ownChange(call: Call): Pick<ObjectChange, 'prepare' | 'validate'> {
  const { subresource } = call.info;
  if (subresource === '' || subresource === 'status') return changeOf(call);
  return {
    prepare: (object, before) => keepSystemFields(asDraft(object), before),
    validate: (object) => validateNew(call.served, object),
  };
}

interface Target {
  readonly namespace: string;
  readonly name: string;
  readonly subresource?: string;
  readonly dryRun?: boolean;
  readonly user?: UserInfo;
  readonly context?: { readonly cause?: AnyCall['cause'] };
}

function callFor(core: Core, served: ServedResource, target: Target): Call {
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
    cause: target.context?.cause ?? { id: core.random.uuid(), component: user.name, request: `PUT ${path}` },
    warn: () => undefined,
  };
}
