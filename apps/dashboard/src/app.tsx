import { Alert, Button, Group, Stack } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { Activity, Suspense, useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import type { Resource } from './api/discovery.ts';
import { isRenewed } from './api/renewed.ts';
import { currentSession, hasCode, lastUser, logIn, logOut, takeCode } from './api/session.ts';
import { useDiscovery } from './kinds/use-discovery.ts';
import { DRAFT } from './editor/draft.ts';
import { KindsContext, useKind } from './kinds/use-kinds.ts';
import { ListPage } from './lists/list-page.tsx';
import { ObjectPage } from './object/object-page.tsx';
import { LoginPage } from './login/login-page.tsx';
import type { Route } from './route/route.ts';
import { titleOf } from './route/title.ts';
import { addressOf, useRoute } from './route/use-route.ts';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { Loading } from './shell/loading.tsx';
import { part } from './shell/part.tsx';
import { useText } from './texts/use-text.ts';
import { Shell } from './shell/shell.tsx';

// Loaded when somebody goes there.
const OverviewPage = part(async () => (await import('./overview/overview-page.tsx')).OverviewPage);
const TopologyPage = part(async () => (await import('./topology/topology-page.tsx')).TopologyPage);
const CreatePage = part(async () => (await import('./create/create-page.tsx')).CreatePage);
const LessonsPage = part(async () => (await import('./lessons/lessons-page.tsx')).LessonsPage);
const PausesPage = part(async () => (await import('./pauses/pauses-page.tsx')).PausesPage);

/** Who is here: nobody knows yet; nobody, and why; somebody. */
type Presence = { readonly state: 'asking' | 'here' } | { readonly state: 'nobody'; readonly why?: string };

/** What somebody does here. It waits, hidden, while he has to log in again. */
interface Visit {
  readonly user: string | undefined;
  /** Another one for each: nobody finds what another was doing. */
  readonly number: number;
}

/** The dashboard: asks who is there, then shows what the address says. */
export function App(): ReactNode {
  const text = useText();
  const [presence, setPresence] = useState<Presence>({ state: 'asking' });
  const [visit, setVisit] = useState<Visit>();
  const arrive = (next: Presence): void => {
    if (next.state === 'here') setVisit((last) => visitOf(lastUser(), last));
    setPresence(next);
  };
  // Who comes while the page is there already may find another server behind it, which has no parts of this page any more.
  const arriveAnew = async (next: Presence): Promise<void> => {
    const isFree = document.querySelector(`[${DRAFT}]`) === null;
    if (next.state === 'here' && isFree && (await isRenewed())) location.reload();
    else arrive(next);
  };
  useEffect(() => {
    const onOver = (): void => setPresence({ state: 'nobody', why: text.sessionOver });
    const come = (to: (next: Presence) => void | Promise<void>): void => {
      enter().then(to, (error: unknown) => setPresence({ state: 'nobody', why: String(error) }));
    };
    // Who opens a link in the tab where the page is already changes nothing but what stands behind the `#`.
    const onLink = (): void => {
      if (!hasCode()) return;
      setPresence({ state: 'asking' });
      come(arriveAnew);
    };
    addEventListener('session-over', onOver);
    addEventListener('hashchange', onLink);
    come(arrive);
    return () => {
      removeEventListener('session-over', onOver);
      removeEventListener('hashchange', onLink);
    };
  }, []);
  const leave = (): void => {
    setVisit(undefined);
    setPresence({ state: 'nobody' });
    // What fails is a session that the server forgets by itself.
    logOut().catch(() => undefined);
  };
  const why = presence.state === 'nobody' && presence.why !== undefined ? { why: presence.why } : {};
  return (
    <>
      {presence.state === 'asking' ? <Loading isWide /> : null}
      {presence.state === 'nobody' ? <LoginPage {...why} onDone={() => void arriveAnew({ state: 'here' })} /> : null}
      {visit === undefined ? null : (
        <Activity mode={presence.state === 'here' ? 'visible' : 'hidden'}>
          <Inside key={visit.number} onLogOut={leave} />
        </Activity>
      )}
    </>
  );
}

/** Who comes back goes on with what he was doing; somebody else, or who knows whether, begins anew. */
function visitOf(user: string | undefined, last: Visit | undefined): Visit {
  if (last !== undefined && user !== undefined && user === last.user) return last;
  return { user, number: (last?.number ?? 0) + 1 };
}

/** By the link that led here, else by the session that the tab has. */
async function enter(): Promise<Presence> {
  const code = takeCode();
  if (code === undefined) return { state: currentSession() === undefined ? 'nobody' : 'here' };
  const why = await logIn({ code });
  // Who opens a link that he used before is still who he was.
  return why === undefined || currentSession() !== undefined ? { state: 'here' } : { state: 'nobody', why };
}

function Inside({ onLogOut }: { readonly onLogOut: () => void }): ReactNode {
  const text = useText();
  const { kinds, error } = useDiscovery();
  if (error !== undefined) {
    return (
      <Stack component="main" gap="sm" p="md" align="flex-start">
        <Alert color="red" role="alert">
          {error}
        </Alert>
        <Group gap="sm">
          <Button size="xs" onClick={() => location.reload()}>
            {text.tryAgain}
          </Button>
          <Button size="xs" variant="default" onClick={onLogOut}>
            {text.logOut}
          </Button>
        </Group>
      </Stack>
    );
  }
  if (kinds === undefined) return <Loading isWide />;
  return (
    <KindsContext value={kinds}>
      <Shell onLogOut={onLogOut}>
        <Routed />
      </Shell>
    </KindsContext>
  );
}

function Routed(): ReactNode {
  const text = useText();
  const route = useRoute();
  const kind = useKind('gvr' in route ? route.gvr : NO_KIND);
  useDocumentTitle(titleOf(route, text, kind?.kind));
  return (
    <ErrorBoundary place={addressOf(route)}>
      <Suspense fallback={<Loading isWide />}>
        <Page route={route} kind={kind} />
      </Suspense>
    </ErrorBoundary>
  );
}

interface PageProps {
  readonly route: Route;
  /** What the route is about; undefined: no kind, or none that is served. */
  readonly kind: Resource | undefined;
}

function Page({ route, kind }: PageProps): ReactNode {
  const text = useText();
  if (route.page === 'lessons') return <LessonsPage route={route} />;
  if (route.page === 'topology') return <TopologyPage route={route} />;
  if (!('gvr' in route)) return route.page === 'pauses' ? <PausesPage /> : <OverviewPage />;
  if (kind === undefined) return <Alert color="orange">{text.notServed}</Alert>;
  if (route.page === 'create') return <CreatePage kind={kind} route={route} />;
  if (route.page === 'list') return <ListPage kind={kind} route={route} />;
  return <ObjectPage key={`${route.namespace}/${route.name}`} kind={kind} route={route} />;
}

const NO_KIND = { group: '', version: '', resource: '' };
