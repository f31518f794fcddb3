import { checkSpecs, container, probe } from '../../../testing/pod-spec-table.ts';

checkSpecs('probes and hooks', [
  [
    'no handler',
    'validateHandler',
    probe({}),
    'spec.containers[0].livenessProbe: Required value: must specify a handler type',
  ],
  [
    'two handlers',
    'validateHandler',
    probe({ exec: { command: ['a'] }, tcpSocket: { port: 1 } }),
    'spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type',
  ],
  [
    'port of a probe',
    'ValidatePortNumOrName',
    probe({ httpGet: { port: 0 } }),
    'spec.containers[0].livenessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive',
  ],
  [
    'success threshold',
    'validateLivenessProbe',
    probe({ exec: { command: ['a'] }, successThreshold: 2 }),
    'spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1',
  ],
  [
    'negative delay',
    'validateProbe',
    probe({ exec: { command: ['a'] }, initialDelaySeconds: -1 }),
    'spec.containers[0].livenessProbe.initialDelaySeconds: Invalid value: -1: must be greater than or equal to 0',
  ],
  [
    'grace period of a readiness probe',
    'validateReadinessProbe',
    container({ readinessProbe: { exec: { command: ['a'] }, terminationGracePeriodSeconds: 5 } }),
    'spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 5: must not be set for readinessProbes',
  ],
  [
    'no command',
    'validateExecAction',
    probe({ exec: { command: [] } }),
    'spec.containers[0].livenessProbe.exec.command: Required value',
  ],
  [
    'scheme',
    'validateHTTPGetAction',
    probe({ httpGet: { port: 80, scheme: 'FTP' } }),
    'spec.containers[0].livenessProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"',
  ],
  [
    'a longer sleep than the grace period',
    'validateSleepAction',
    container({ lifecycle: { preStop: { sleep: { seconds: 31 } } } }),
    'spec.containers[0].lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)',
  ],
]);
