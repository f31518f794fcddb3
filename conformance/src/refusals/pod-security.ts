/** The pod security standards, as who breaks one reads of it. */
import assert from 'node:assert/strict';
import { deploymentOf, podOf } from './objects.ts';
import type { Stories } from './scene.ts';

const RESTRICTED =
  'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ' +
  'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), ' +
  'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ' +
  'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")';
const WITHIN = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};

export const podSecurityStories: Stories = {
  'a namespace is restricted: pods are refused, a deployment is warned of, and what keeps to it runs': async (
    begin,
  ) => {
    const { namespace, run, out, fails } = await begin('restricted');
    await out(`label namespace ${namespace} pod-security.kubernetes.io/enforce=restricted`);
    await out(`label namespace ${namespace} pod-security.kubernetes.io/warn=restricted`);
    const broken = `violates PodSecurity "restricted:latest": ${RESTRICTED}`;
    assert.equal(
      await fails('create -f -', podOf('p')),
      `Error from server (Forbidden): error when creating "STDIN": pods "p" is forbidden: ${broken}`,
    );
    assert.equal(
      await fails('run c --image=registry.example/app:1'),
      `Error from server (Forbidden): pods "c" is forbidden: ${broken}`,
    );
    const { stdout, stderr } = await run('create -f -', deploymentOf('web', 1));
    assert.deepEqual(
      [stdout, stderr],
      ['deployment.apps/web created\n', `Warning: would violate PodSecurity "restricted:latest": ${RESTRICTED}\n`],
    );
    assert.equal(await out('create -f -', podOf('p', { securityContext: WITHIN })), 'pod/p created\n');
  },

  'before a namespace is restricted one asks what would break': async (begin) => {
    const { namespace, run, out, fails } = await begin('asked');
    await out('create -f -', podOf('p', { securityContext: { privileged: true } }));
    const label = `label --dry-run=server --overwrite namespace ${namespace} pod-security.kubernetes.io/enforce`;
    assert.equal(
      (await run(`${label}=baseline`)).stderr,
      `Warning: existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "baseline:latest"\n` +
        'Warning: p: privileged\n',
    );
    assert.equal(
      await fails(`${label}=strict`),
      `The Namespace "${namespace}" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted`,
    );
    assert.equal(await out('get pod p -o name'), 'pod/p\n');
  },
};
