/** Quotas and ranges of limits. */
import assert from 'node:assert/strict';
import { configMapOf, deploymentOf, podOf } from './objects.ts';
import type { Stories } from './scene.ts';

export const quotaStories: Stories = {
  'a quota of pods and processors: what must be said, what is too much, and what is shown': async (begin) => {
    const { namespace, out, fails, until } = await begin('quota');
    await out('create quota q --hard=pods=1,requests.cpu=1');
    const refused = 'Error from server (Forbidden): error when creating "STDIN": pods "p" is forbidden:';
    await until('create --dry-run=server -f -', /failed quota: q/, podOf('p'));
    assert.equal(
      await fails('create -f -', podOf('p')),
      `${refused} failed quota: q: must specify requests.cpu for: c`,
    );
    const range = {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { name: 'usual' },
      spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '100m' }, max: { cpu: '2' } }] },
    };
    await out('create -f -', range);
    const large = podOf('p', { resources: { requests: { cpu: '1500m' } } });
    assert.equal(
      await fails('create -f -', large),
      `${refused} exceeded quota: q, requested: requests.cpu=1500m, used: requests.cpu=0, limited: requests.cpu=1`,
    );
    const over = podOf('p', { resources: { limits: { cpu: '3' }, requests: { cpu: '100m' } } });
    assert.equal(await fails('create -f -', over), `${refused} maximum cpu usage per Container is 2, but limit is 3`);
    await out('create -f -', podOf('one'));
    assert.equal(
      await fails('run p --image=registry.example/app:1'),
      'Error from server (Forbidden): pods "p" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
    );
    assert.equal(
      (await out('describe quota q')).trimEnd(),
      [
        'Name:         q',
        `Namespace:    ${namespace}`,
        'Resource      Used  Hard',
        '--------      ----  ----',
        'pods          1     1',
        'requests.cpu  100m  1',
      ].join('\n'),
    );
  },

  'a quota of objects, and a deployment whose pods find no room': async (begin) => {
    const { out, fails, run, until } = await begin('counted');
    await out('create quota maps --hard=count/configmaps=2,pods=0');
    await until('create --dry-run=server -f -', /exceeded quota: maps/, podOf('p'));
    // The namespace has one of its own: the cluster's authority.
    await until('get configmap kube-root-ca.crt', /^NAME/);
    await out('create -f -', configMapOf('a'));
    assert.equal(
      await fails('create configmap b'),
      'error: failed to create configmap: configmaps "b" is forbidden: exceeded quota: maps, requested: count/configmaps=1, used: count/configmaps=2, limited: count/configmaps=2',
    );
    assert.equal((await run('create -f -', deploymentOf('web', 1))).stdout, 'deployment.apps/web created\n');
    const failed = '--for=condition=ReplicaFailure deployment/web --timeout=20s';
    await out(`wait ${failed}`);
    assert.match(
      await out('get deployment web -o jsonpath={.status.conditions[?(@.type=="ReplicaFailure")].message}'),
      /^pods "web-[a-z0-9]+-[a-z0-9]{5}" is forbidden: exceeded quota: maps, requested: pods=1, used: pods=0, limited: pods=0$/,
    );
  },
};
