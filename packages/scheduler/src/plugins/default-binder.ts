import { PODS } from '@binnacle/api';
import type { ApiCall } from '@binnacle/machinery';
import type { PluginFactory } from '../handle.ts';
import type { PlannedBinding } from '../plan/framework.ts';
import { noArguments } from './arguments.ts';

const RESOURCE = { group: PODS.group, version: PODS.version, resource: PODS.resource };

/** Binds by the API: POST pods/NAME/binding. */
export const defaultBinder: PluginFactory = {
  name: 'DefaultBinder',
  create: ({ client: { wire } }, args) => ({
    name: noArguments('DefaultBinder', args),
    async bind(demand, node, context) {
      await wire.call(bindingCall({ demand, node, context }));
      return true;
    },
    bindAll: (bindings, told) =>
      wire.batch(bindings.map(bindingCall), (at, outcome) =>
        told(at, outcome.status === 'rejected' ? { error: outcome.reason as unknown } : undefined),
      ),
  }),
};

function bindingCall({ demand, node, context }: PlannedBinding): ApiCall {
  const { namespace = '', name = '' } = demand.pod.metadata;
  const body = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace, uid: demand.uid },
    target: { kind: 'Node', name: node },
  };
  return { verb: 'create', resource: RESOURCE, namespace, name, subresource: 'binding', body, ...context };
}
