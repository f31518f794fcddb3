import { checkSpecs, container } from '../../../testing/pod-spec-table.ts';

checkSpecs('operating systems', [
  [
    'Linux options on Windows',
    'validateWindows',
    { os: { name: 'windows' }, securityContext: { runAsUser: 1 } },
    'spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod',
  ],
  [
    'Windows options on Linux',
    'validateLinux',
    { os: { name: 'linux' }, ...container({ securityContext: { windowsOptions: {} } }) },
    'spec.containers[0].securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod',
  ],
  [
    'another system',
    'validateOS',
    { os: { name: 'beos' } },
    'spec.os: Unsupported value: "beos": supported values: "linux", "windows"',
  ],
  [
    'host process without the host’s network',
    'validateWindowsHostProcessPod',
    { securityContext: { windowsOptions: { hostProcess: true } } },
    'spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers',
  ],
]);
