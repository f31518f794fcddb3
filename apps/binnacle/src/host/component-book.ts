import { ComponentFigures, HealthFigures, SERVED_VERSION } from '@binnacle/apiserver/component';
import type { HealthCheck } from '@binnacle/apiserver';
import type { Features } from '@binnacle/api';
import type { Logger, Scope } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import type { Election } from '@binnacle/client';
import { componentPages } from '@binnacle/cluster/component-pages';
import type { ComponentTold, Pages } from '@binnacle/cluster/component-pages';
import { processMetrics } from '@binnacle/cluster/node/process-metrics';
import { UnwellError } from '../errors.ts';
import { buildCommit } from './build-commit.ts';
import { shownFlags } from './shown-flags.ts';

/** What a component that runs alone keeps of itself, and how it is shown. */
export interface ComponentBook {
  readonly figures: ComponentFigures;
  pages(of: Pick<ComponentTold, 'health' | 'config'>): Pages;
}

/** `name`: as upstream calls the component. */
export function createComponentBook(
  name: string,
  { features, flags, log }: { readonly features: Features; readonly flags: object; readonly log: Logger },
): ComponentBook {
  const build = { version: SERVED_VERSION, commit: buildCommit() };
  const figures = new ComponentFigures(realClock, { features, build });
  const told = {
    name,
    figures: () => figures.render(processMetrics(realClock.now())),
    healthFigures: new HealthFigures(),
    flags: shownFlags(flags),
    version: build.version,
    startedAt: realClock.now(),
    clock: realClock,
    log,
  };
  return { figures, pages: (of) => componentPages({ ...told, ...of }) };
}

/** A check that fails as long as there is a reason. */
export function failing(name: string, reasonNow: () => string | undefined): HealthCheck {
  return {
    name,
    check() {
      const reason = reasonNow();
      if (reason !== undefined) throw new UnwellError(reason);
    },
  };
}

/** Whether a leader still is one; none for who stands in no election. */
export function electionChecks(election: Election | undefined): readonly HealthCheck[] {
  return election === undefined ? [] : [failing('leaderElection', () => election.trouble())];
}

/** Whether the component is not about to end. */
export function shutdownCheck(scope: Scope): HealthCheck {
  return failing('shutdown', () => (scope.closing ? 'process is shutting down' : undefined));
}
