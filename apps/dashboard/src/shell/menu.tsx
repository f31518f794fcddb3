import { NavLink } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Resource } from '../api/discovery.ts';
import { useKinds } from '../kinds/use-kinds.ts';
import { useHasPauses } from '../pauses/use-pauses.ts';
import { useRights } from '../rights/use-rights.ts';
import { follow } from '../route/link.tsx';
import { listOf } from '../route/route.ts';
import type { Route } from '../route/route.ts';
import { addressOf, useRoute } from '../route/use-route.ts';
import { useText } from '../texts/use-text.ts';
import { groupKinds, isOffered } from './kind-groups.ts';

/** All pages and kinds there are. */
export function Menu({ onChosen }: { readonly onChosen: () => void }): ReactNode {
  const text = useText();
  const route = useRoute();
  const hasPauses = useHasPauses();
  const namespace = 'namespace' in route ? route.namespace : '';
  const rights = useRights(namespace);
  // Where somebody is stays in sight, whatever he may do there.
  const offered = useKinds().filter((kind) => isOf(kind, route) || isOffered(kind, namespace, rights));
  const groups = groupKinds(offered);
  return (
    <nav aria-label={text.kinds}>
      <PlaceLink to={{ page: 'overview' }} label={text.overview} onChosen={onChosen} />
      <PlaceLink to={{ page: 'topology', namespace }} label={text.topology} onChosen={onChosen} />
      {hasPauses ? <PlaceLink to={{ page: 'pauses' }} label={text.stepAndPause} onChosen={onChosen} /> : null}
      <PlaceLink to={{ page: 'lessons', name: '' }} label={text.lessons} onChosen={onChosen} />
      {groups.map(({ group, resources }) => (
        <NavLink
          component="button"
          key={group}
          label={text[group]}
          defaultOpened={group === 'workloads' || resources.some((kind) => isOf(kind, route))}
          childrenOffset="sm"
        >
          {resources.map((kind) => {
            const to = listAt(kind, route);
            return (
              <NavLink
                key={`${kind.group}/${kind.resource}`}
                label={kind.kind}
                href={addressOf(to)}
                active={isOf(kind, route)}
                onClick={(event) => {
                  follow(event, to);
                  onChosen();
                }}
              />
            );
          })}
        </NavLink>
      ))}
    </nav>
  );
}

/** Whether somebody looks at something of the kind. */
function isOf(kind: Resource, route: Route): boolean {
  return 'gvr' in route && route.gvr.resource === kind.resource && route.gvr.group === kind.group;
}

interface PlaceLinkProps {
  readonly to: Route;
  readonly label: string;
  readonly onChosen: () => void;
}

function PlaceLink({ to, label, onChosen }: PlaceLinkProps): ReactNode {
  const route = useRoute();
  return (
    <NavLink
      label={label}
      href={addressOf(to)}
      active={route.page === to.page}
      onClick={(event) => {
        follow(event, to);
        onChosen();
      }}
    />
  );
}

/** The list of a kind, in the namespace that is looked at. */
function listAt(kind: Resource, route: Route): Route {
  const namespace = 'namespace' in route && kind.namespaced ? route.namespace : '';
  return listOf(kind, namespace);
}
