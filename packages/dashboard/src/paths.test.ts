import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { judgePath } from './paths.ts';
import type { PathJudgement } from './paths.ts';

const ROWS: readonly (readonly [path: string, judgement: PathJudgement])[] = [
  ['/', 'other'],
  ['/assets/main.js', 'other'],
  ['/apix/v1', 'other'],
  ['/version', 'passed'],
  ['/api/v1/pods', 'passed'],
  ['/api/v1/namespaces/default/pods/a/log', 'passed'],
  ['/api/v1/namespaces/default/configmaps/proxy', 'passed'],
  ['/api/v1/namespaces/proxy', 'passed'],
  ['/api/v1/namespaces/proxy/pods', 'passed'],
  ['/api/v1/nodes/proxy', 'passed'],
  ['/api/v1/nodes/a/proxy', 'refused'],
  ['/api/v1/nodes/a/proxy/metrics', 'refused'],
  ['/api/v1/namespaces/default/pods/a/proxy', 'refused'],
  ['/api/v1/namespaces/default/services/a:http/proxy/x', 'refused'],
  ['/apis/apps/v1/namespaces/default/deployments/proxy', 'passed'],
  ['/api/v1/namespaces/default/pods/a//proxy', 'refused'],
  ['/api/v1/namespaces/default/pods/a/%70roxy/x', 'refused'],
  ['/api/v1/namespaces/default/pods/x/../a/proxy', 'refused'],
  ['/api/v1/namespaces/default/pods/a%2Fproxy', 'refused'],
  ['/api/v1/namespaces/default/pods/a/%70roxy', 'refused'],
  ['/api/v1/namespaces/default/pods/a/%2570roxy', 'refused'],
  ['/api/v1/namespaces/default/pods/%zz', 'refused'],
  ['/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode', 'passed'],
  ['/api/', 'passed'],
];

for (const [path, judgement] of ROWS) test(`${path} is ${judgement}`, () => equal(judgePath(path), judgement));
