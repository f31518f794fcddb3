import { checkSpecs, container } from '../../../testing/pod-spec-table.ts';

checkSpecs('Windows options', [
  [
    'user name',
    'validateWindowsSecurityContextOptions',
    { securityContext: { windowsOptions: { runAsUserName: 'a\\\\b\\\\c' } } },
    'spec.securityContext.windowsOptions.runAsUserName: Invalid value: "a\\\\\\\\b\\\\\\\\c": runAsUserName cannot contain more than one backslash',
  ],
  [
    'user of dots',
    'validateWindowsSecurityContextOptions',
    container({ securityContext: { windowsOptions: { runAsUserName: '..' } } }),
    'spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "..": runAsUserName\'s User cannot contain only periods or spaces',
  ],
  [
    'empty specification',
    'validateWindowsSecurityContextOptions',
    { securityContext: { windowsOptions: { gmsaCredentialSpec: '' } } },
    'spec.securityContext.windowsOptions.gmsaCredentialSpec: Invalid value: "": gmsaCredentialSpec cannot be an empty string',
  ],
]);
