/** Of which images on the node a pod has to show that it may have them, before it gets them without a pull. Pure. */
import { isImageName, repositoryOf } from '@binnacle/runtime';
import type { VerificationPolicy } from '../config.ts';
import { KubeletConfigError } from '../errors.ts';

const LIST_FIELD = 'preloadedImagesVerificationAllowlist';

/** Repositories that everybody may have: by their whole name in full, or by what it begins with (`r.example.com/team/*`). */
export interface ImageAllowlist {
  readonly repositories: ReadonlySet<string>;
  readonly prefixes: readonly string[];
}

/** Throws KubeletConfigError where a pattern is none. */
export function readAllowlist(patterns: readonly string[]): ImageAllowlist {
  const repositories = new Set<string>();
  const prefixes: string[] = [];
  for (const pattern of patterns) {
    if (pattern.endsWith('/*')) prefixes.push(readPrefix(pattern));
    else repositories.add(readRepository(pattern));
  }
  return { repositories, prefixes };
}

function readPrefix(pattern: string): string {
  const prefix = pattern.slice(0, -1);
  if (prefix !== prefix.trim() || prefix === '/' || prefix.includes('*'))
    refuse(pattern, 'a star may stand for all below a registry or a path, as in "r.example.com/team/*"');
  return prefix;
}

function readRepository(pattern: string): string {
  if (pattern.includes('*')) refuse(pattern, 'a star may only stand at the end, after a slash');
  if (!isImageName(pattern)) refuse(pattern, 'it is no name of an image');
  if (repositoryOf(pattern) !== pattern)
    refuse(pattern, `it has to be a name in full, without tag or digest: ${repositoryOf(pattern)}`);
  return pattern;
}

function refuse(pattern: string, why: string): never {
  throw new KubeletConfigError(LIST_FIELD, `${JSON.stringify(pattern)}: ${why}`);
}

/** Whether pods have to show that they may have an image that is there. `isPulled`: a kubelet of this node pulled it. */
export function mustVerify(
  of: { readonly policy: VerificationPolicy; readonly allowlist: ImageAllowlist },
  image: string,
  isPulled: boolean,
): boolean {
  switch (of.policy) {
    case 'NeverVerify':
      return false;
    case 'NeverVerifyPreloadedImages':
      return isPulled;
    case 'NeverVerifyAllowlistedImages':
      return !isListed(of.allowlist, repositoryOf(image));
    case 'AlwaysVerify':
      return true;
  }
}

function isListed({ repositories, prefixes }: ImageAllowlist, repository: string): boolean {
  return repositories.has(repository) || prefixes.some((prefix) => repository.startsWith(prefix));
}
