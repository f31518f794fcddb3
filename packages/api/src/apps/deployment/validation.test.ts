import { checkCreate, checkUpdate } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';

const DEPLOYMENT: Kind = ['apps', 'Deployment', true];
const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const RIGHT = { selector: { matchLabels: { a: 'b' } }, template: TEMPLATE };

// Provenance: upstream pkg/apis/apps/validation/validation.go.
checkCreate('deployments', [
  ['right', 'ValidateDeployment', DEPLOYMENT, { spec: RIGHT }],
  [
    'negative numbers',
    'ValidateDeploymentSpec',
    DEPLOYMENT,
    { spec: { ...RIGHT, replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1 } },
    'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0',
    'spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0',
  ],
  [
    'no percentage',
    'ValidatePositiveIntOrPercent',
    DEPLOYMENT,
    { spec: { ...RIGHT, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 'x' } } } },
    "spec.strategy.rollingUpdate.maxSurge: Invalid value: \"x\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
  ],
]);

checkUpdate('deployments', [
  ['replicas', 'ValidateDeploymentUpdate', DEPLOYMENT, { spec: RIGHT }, { spec: { ...RIGHT, replicas: 5 } }],
]);
