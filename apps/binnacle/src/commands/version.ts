import { kubeletConfig } from '@binnacle/kubelet';
import { buildCommit } from '../host/build-commit.ts';

/** `binnacle version`: in upstream's form, and the commit where it is known. */
export function tellVersion(): void {
  const commit = buildCommit();
  const { version } = kubeletConfig({ nodeName: '' });
  process.stdout.write(`Kubernetes ${version} (binnacle${commit === '' ? '' : ` ${commit.slice(0, 12)}`})\n`);
}
