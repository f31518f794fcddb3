import {
  ActionIcon,
  AppShell,
  Burger,
  Button,
  Group,
  NavLink,
  ScrollArea,
  Text,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { Resource } from '../api/discovery.ts';
import { useKinds } from '../kinds/use-kinds.ts';
import { follow } from '../route/link.tsx';
import type { Place, Route } from '../route/route.ts';
import { addressOf, useRoute } from '../route/use-route.ts';
import { chooseLanguage, currentLanguage, useText } from '../texts/use-text.ts';
import { HeldBadge } from '../pauses/held-badge.tsx';
import { useHasPauses } from '../pauses/use-pauses.ts';
import { groupKinds } from './kind-groups.ts';

/** The frame around every page: the menu of all kinds that the server serves, and who is here. */
export function Shell({
  children,
  onLogOut,
}: {
  readonly children: ReactNode;
  readonly onLogOut: () => void;
}): ReactNode {
  const text = useText();
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { toggleColorScheme } = useMantineColorScheme();
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 240, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={text.menu} />
            <Text
              component="a"
              href="/"
              fw={700}
              onClick={(event) => follow(event, { page: 'overview' })}
              c="inherit"
              td="none"
            >
              Binnacle
            </Text>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <HeldBadge />
            <Button
              variant="subtle"
              size="compact-sm"
              onClick={() => chooseLanguage(currentLanguage() === 'en' ? 'ko' : 'en')}
            >
              {text.language}
            </Button>
            <ActionIcon variant="subtle" onClick={() => toggleColorScheme()} aria-label={text.light}>
              ◐
            </ActionIcon>
            <Button variant="subtle" size="compact-sm" onClick={onLogOut}>
              {text.logOut}
            </Button>
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar>
        <ScrollArea p="xs">
          <Menu onChosen={close} />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main h="100dvh">{children}</AppShell.Main>
    </AppShell>
  );
}

function Menu({ onChosen }: { readonly onChosen: () => void }): ReactNode {
  const text = useText();
  const route = useRoute();
  const groups = groupKinds(useKinds());
  const hasPauses = useHasPauses();
  return (
    <nav aria-label={text.kinds}>
      {hasPauses ? <PlaceLink page="pauses" label={text.stepAndPause} onChosen={onChosen} /> : null}
      {groups.map(({ group, resources }) => (
        <NavLink
          component="button"
          key={group}
          label={text[group]}
          defaultOpened={group === 'workloads'}
          childrenOffset="sm"
        >
          {resources.map((kind) => {
            const to = listOf(kind, route);
            return (
              <NavLink
                key={`${kind.group}/${kind.resource}`}
                label={kind.kind}
                href={addressOf(to)}
                active={'gvr' in route && route.gvr.resource === kind.resource && route.gvr.group === kind.group}
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

interface PlaceLinkProps {
  readonly page: Place;
  readonly label: string;
  readonly onChosen: () => void;
}

function PlaceLink({ page, label, onChosen }: PlaceLinkProps): ReactNode {
  const route = useRoute();
  return (
    <NavLink
      label={label}
      href={addressOf({ page })}
      active={route.page === page}
      onClick={(event) => {
        follow(event, { page });
        onChosen();
      }}
    />
  );
}

/** The list of a kind, in the namespace that is looked at. */
function listOf(kind: Resource, route: Route): Route {
  const namespace = 'namespace' in route && kind.namespaced ? route.namespace : '';
  return { page: 'list', gvr: kind, namespace, filter: '', labels: '' };
}
