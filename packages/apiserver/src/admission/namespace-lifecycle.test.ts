import { describe } from 'node:test';
import { NAMESPACES } from '@binnacle/api';
import { admissionTable } from '../testing/admission.ts';
import { MemoryCache } from '../testing/memory-cache.ts';
import { createNamespaceLifecycle } from './namespace-lifecycle.ts';

const inDefault = (name: string): object => ({ metadata: { namespace: 'default', name }, spec: { containers: [] } });

describe('NamespaceLifecycle', () => {
  const cache = new MemoryCache();
  cache.put(NAMESPACES, { metadata: { name: 'default' } });
  cache.put(NAMESPACES, { metadata: { name: 'ending' }, status: { phase: 'Terminating' } } as never);
  const pod = { metadata: { namespace: 'ending', generateName: 'web-' } };
  admissionTable(createNamespaceLifecycle(cache), [
    ['in a namespace that exists', { operation: 'CREATE', resource: 'pods', object: inDefault('a') }, undefined],
    [
      'in one that does not',
      { operation: 'CREATE', resource: 'pods', object: inDefault('a'), namespace: 'nowhere' },
      'namespaces "nowhere" not found',
    ],
    [
      'in one that is ending',
      { operation: 'CREATE', resource: 'pods', object: pod },
      'pods "web-" is forbidden: unable to create new content in namespace ending because it is being terminated',
    ],
    ['an update in one that is ending', { operation: 'UPDATE', resource: 'pods', object: pod, before: pod }, undefined],
    [
      'a question about one that does not exist',
      { operation: 'CREATE', resource: 'localsubjectaccessreviews.authorization.k8s.io', namespace: 'nowhere' },
      undefined,
    ],
    [
      'deletion of default',
      { operation: 'DELETE', resource: 'namespaces', name: 'default' },
      'namespaces "default" is forbidden: this namespace may not be deleted',
    ],
    ['deletion of another', { operation: 'DELETE', resource: 'namespaces', name: 'mine' }, undefined],
  ]);
});
