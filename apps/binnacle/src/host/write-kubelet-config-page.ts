import { writeFileSync } from 'node:fs';
import { kubeletConfigPage } from './kubelet-config-page.ts';

writeFileSync(new URL('../../../../docs/kubelet-configuration.md', import.meta.url), kubeletConfigPage());
