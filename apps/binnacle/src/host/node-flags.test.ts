import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { refuseFlagsOfOthers } from './node-flags.ts';
import type { NodeSortFlags } from './node-flags.ts';
import type { RuntimeKind } from './node-runtime.ts';

describe('flags that are for the other sort of node', () => {
  const rows: readonly [string, RuntimeKind, NodeSortFlags, RegExp | undefined][] = [
    ['simulated nodes as they are', 'simulated', { nodes: 3 }, undefined],
    ['one that runs containers as it is', 'containerd', { nodes: 1, nodeName: 'n', kubeletPort: 0 }, undefined],
    ['a name of simulated nodes', 'simulated', { nodes: 1, nodeName: 'n' }, /--node-name needs a node that runs/],
    ['port 0 of their kubelet', 'simulated', { nodes: 1, kubeletPort: 0 }, /--kubelet-port needs/],
    ['manifests of theirs', 'simulated', { nodes: 1, podManifestPath: '/m' }, /--pod-manifest-path needs/],
    ['a runtime for them', 'simulated', { nodes: 1, containerRuntimeEndpoint: 'x' }, /--container-runtime-endpoint/],
    ["somebody else's CNI for them", 'simulated', { nodes: 1, cniConfDir: '/c' }, /--cni-conf-dir needs/],
    ['their network as it is', 'simulated', { nodes: 1, podCidr: ['10.244.0.0/24'], proxyMode: 'nftables' }, undefined],
    ['another network of theirs', 'simulated', { nodes: 1, podCidr: ['10.9.0.0/24'] }, /--pod-cidr needs/],
    ['three that run containers', 'containerd', { nodes: 3 }, /--nodes is the number of simulated .*--workers/],
    ['none in an engine of Docker', 'docker', { nodes: 0 }, /--nodes is the number of simulated/],
  ];
  for (const [name, kind, flags, expected] of rows) {
    test(name, () => {
      if (expected === undefined) refuseFlagsOfOthers(kind, flags);
      else assert.throws(() => refuseFlagsOfOthers(kind, flags), expected);
    });
  }
});
