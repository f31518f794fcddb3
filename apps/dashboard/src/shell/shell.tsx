import { AppShell, Burger, Button, Group, ScrollArea, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { TRACE_GROUP } from '@binnacle/trace';
import { Suspense, useState } from 'react';
import type { ReactNode } from 'react';
import { useKinds } from '../kinds/use-kinds.ts';
import { HeldBadge } from '../pauses/held-badge.tsx';
import { typedAhead } from '../keys/typed-ahead.ts';
import { useKeys } from '../keys/use-keys.ts';
import type { Opened } from '../keys/use-keys.ts';
import { useRights } from '../rights/use-rights.ts';
import { follow } from '../route/link.tsx';
import { useArrival } from '../route/use-arrival.ts';
import { useMoment, useRoute } from '../route/use-route.ts';
import { useText } from '../texts/use-text.ts';
import { Dialog } from './dialog.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { Loading, LoadingAbove } from './loading.tsx';
import { Menu } from './menu.tsx';
import { part } from './part.tsx';
import { Tools } from './tools.tsx';

// Loaded when somebody travels.
const TimeBar = part(async () => (await import('../time/time-bar.tsx')).TimeBar);

interface ShellProps {
  readonly children: ReactNode;
  readonly onLogOut: () => void;
}

const Palette = part(async () => (await import('../palette/palette.tsx')).Palette);
const HelpDialog = part(async () => (await import('../keys/help-dialog.tsx')).HelpDialog);

/** The frame around every page: the menu of all kinds that the server serves, the moment, and who is here. */
export function Shell({ children, onLogOut }: ShellProps): ReactNode {
  const text = useText();
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const hasTrace = useKinds().some(({ group }) => group === TRACE_GROUP);
  const moment = useMoment();
  const content = useArrival();
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
          <ErrorBoundary place="time" isSlim>
            <Suspense fallback={<Loading size="sm" />}>
              <TimeBar onClose={() => setTimeOpen(false)} />
            </Suspense>
          </ErrorBoundary>
        </AppShell.Footer>
      ) : null}
      <AppShell.Main ref={content} tabIndex={-1} h="100dvh" style={{ outline: 'none' }}>
        {children}
      </AppShell.Main>
      <Above opened={opened} onClose={() => setOpened(undefined)} />
    </AppShell>
  );
}

interface AboveProps {
  readonly opened: Opened;
  readonly onClose: () => void;
}

/** What keys open above the page; what does not come says so there, and leaves the page alone. */
function Above({ opened, onClose }: AboveProps): ReactNode {
  if (opened === undefined) return null;
  const leave = (): void => {
    typedAhead.forget();
    onClose();
  };
  return (
    <ErrorBoundary place={opened} frame={(broken) => <Dialog onClose={leave}>{broken}</Dialog>}>
      <Suspense fallback={<LoadingAbove />}>
        {opened === 'help' ? <HelpDialog onClose={onClose} /> : <Palette scope={opened} onClose={onClose} />}
      </Suspense>
    </ErrorBoundary>
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
