import { AppShell, Burger, Button, Group, ScrollArea, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { TRACE_GROUP } from '@binnacle/trace';
import { lazy, Suspense, useState } from 'react';
import type { ReactNode } from 'react';
import { again } from '../api/again.ts';
import { useKinds } from '../kinds/use-kinds.ts';
import { HeldBadge } from '../pauses/held-badge.tsx';
import { useKeys } from '../keys/use-keys.ts';
import { useRights } from '../rights/use-rights.ts';
import { follow } from '../route/link.tsx';
import { useMoment, useRoute } from '../route/use-route.ts';
import { useText } from '../texts/use-text.ts';
import { Menu } from './menu.tsx';
import { Tools } from './tools.tsx';

// Loaded when somebody travels.
const TimeBar = lazy(async () => ({ default: (await again(() => import('../time/time-bar.tsx'))).TimeBar }));

interface ShellProps {
  readonly children: ReactNode;
  readonly onLogOut: () => void;
}

const Palette = lazy(async () => ({ default: (await again(() => import('../palette/palette.tsx'))).Palette }));
const HelpDialog = lazy(async () => ({ default: (await again(() => import('../keys/help-dialog.tsx'))).HelpDialog }));

/** The frame around every page: the menu of all kinds that the server serves, the moment, and who is here. */
export function Shell({ children, onLogOut }: ShellProps): ReactNode {
  const text = useText();
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const hasTrace = useKinds().some(({ group }) => group === TRACE_GROUP);
  const moment = useMoment();
  const [opened, setOpened] = useKeys();
  const [isTimeOpen, setTimeOpen] = useState(false);
  const mayTravel = useMayTravel() && hasTrace;
  // Who is in the past sees that he is, and comes back.
  const isTimeShown = (hasTrace && moment !== undefined) || (mayTravel && isTimeOpen);
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 240, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      footer={{ height: isTimeShown ? { base: 100, sm: 68 } : 0 }}
      padding={{ base: 'xs', sm: 'md' }}
    >
      <AppShell.Header>
        <Group h="100%" px="md" gap="sm" justify="space-between" wrap="nowrap">
          <Brand isOpen={isOpen} onToggle={toggle} />
          <Group gap="xs" wrap="nowrap">
            <HeldBadge />
            <Button
              variant="default"
              size="compact-sm"
              onClick={() => setOpened('search')}
              aria-label={`${text.searchAll} Ctrl-K`}
            >
              <Text span size="sm" c="dimmed" visibleFrom="sm">
                {text.searchAll} Ctrl-K
              </Text>
              <Text span size="sm" hiddenFrom="sm" aria-hidden>
                ⌕
              </Text>
            </Button>
            {mayTravel || isTimeShown ? (
              <TimeButton isShown={isTimeShown} onToggle={() => setTimeOpen(!isTimeShown)} />
            ) : null}
            <Group gap="xs" wrap="nowrap" visibleFrom="sm">
              <Tools onLogOut={onLogOut} onHelp={() => setOpened('help')} />
            </Group>
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar>
        <ScrollArea p="xs">
          <Group gap="xs" hiddenFrom="sm" pb="xs">
            <Tools onLogOut={onLogOut} onHelp={() => setOpened('help')} />
          </Group>
          <Menu onChosen={close} />
        </ScrollArea>
      </AppShell.Navbar>
      {isTimeShown ? (
        <AppShell.Footer>
          <Suspense fallback={null}>
            <TimeBar onClose={() => setTimeOpen(false)} />
          </Suspense>
        </AppShell.Footer>
      ) : null}
      <AppShell.Main h="100dvh">{children}</AppShell.Main>
      <Suspense fallback={null}>
        {opened === 'search' || opened === 'kinds' ? (
          <Palette scope={opened} onClose={() => setOpened(undefined)} />
        ) : null}
        {opened === 'help' ? <HelpDialog onClose={() => setOpened(undefined)} /> : null}
      </Suspense>
    </AppShell>
  );
}

/** Whether the viewer may see what each revision changed, where he is. */
function useMayTravel(): boolean {
  const route = useRoute();
  const rights = useRights('namespace' in route ? route.namespace : '');
  return rights({ verb: 'list', group: TRACE_GROUP, resource: 'hops' });
}

function Brand({ isOpen, onToggle }: { readonly isOpen: boolean; readonly onToggle: () => void }): ReactNode {
  const text = useText();
  return (
    <Group gap="sm" wrap="nowrap">
      <Burger opened={isOpen} onClick={onToggle} hiddenFrom="sm" size="sm" aria-label={text.menu} />
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
  );
}

function TimeButton({ isShown, onToggle }: { readonly isShown: boolean; readonly onToggle: () => void }): ReactNode {
  const text = useText();
  const moment = useMoment();
  return (
    <Button
      variant={moment === undefined ? 'subtle' : 'filled'}
      size="compact-sm"
      aria-expanded={isShown}
      onClick={onToggle}
    >
      {moment === undefined ? text.time : `${text.revision} ${moment}`}
    </Button>
  );
}
