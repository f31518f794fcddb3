import { PODS } from '@binnacle/api';
import type { PluginFactory } from '../handle.ts';
import { noArguments } from './arguments.ts';

/** Binds by the API: POST pods/NAME/binding. */
export const defaultBinder: PluginFactory = {
  name: 'DefaultBinder',
  create: ({ client }, args) => ({
    name: noArguments('DefaultBinder', args),
    async bind(demand, node, context) {
      const { namespace = '', name = '' } = demand.pod.metadata;
      const binding = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name, namespace, uid: demand.uid },
        target: { kind: 'Node', name: node },
      };
      await client.resource(PODS, namespace).subresource('create', name, 'binding', binding, context);
      return true;
    },
  }),
};
