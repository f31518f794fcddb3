import type { AccessChanges, AuthenticationSettings, AuthorizerSettings, ReloadFigures } from '@binnacle/apiserver';
import type { Scope } from '@binnacle/base';
import type { World } from '../world.ts';
import { followConfig } from './followed-config.ts';
import type { ConfigFile } from './followed-config.ts';

/** Files that say who is believed and who decides. */
export interface PolicyFiles {
  readonly authentication?: ConfigFile<AuthenticationSettings>;
  readonly authorization?: ConfigFile<readonly AuthorizerSettings[]>;
}

/** Whose files are followed. */
export interface FollowingPolicy {
  readonly world: World;
  readonly scope: Scope;
  readonly files?: PolicyFiles;
  /** What is decided by from the start. */
  readonly authorization?: readonly AuthorizerSettings[];
}

/** Follows the files that there are until the scope ends. */
export function followPolicyFiles(following: FollowingPolicy, changes: AccessChanges, reloads: ReloadFigures): void {
  const { world, scope, files = {}, authorization } = following;
  if (files.authentication !== undefined) {
    followConfig(files.authentication, scope, {
      world,
      name: 'authentication configuration',
      measures: reloads.of('authentication'),
      async take({ jwt }, signal) {
        await changes.believe(jwt, signal);
        return true;
      },
    });
  }
  if (files.authorization === undefined) return;
  let standing = JSON.stringify(authorization);
  followConfig(files.authorization, scope, {
    world,
    name: 'authorization configuration',
    measures: reloads.of('authorization'),
    take(next) {
      const said = JSON.stringify(next);
      // Another text may say the same.
      if (said === standing) return false;
      changes.decideBy(next);
      standing = said;
      return true;
    },
  });
}
