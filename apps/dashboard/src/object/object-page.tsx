import { Alert, Badge, Breadcrumbs, Group, Stack, Tabs, Text, Title } from '@mantine/core';
import { TRACE_GROUP } from '@binnacle/trace';
import { Suspense } from 'react';
import type { ReactNode } from 'react';
import { ActionBar } from '../actions/action-bar.tsx';
import type { Resource } from '../api/discovery.ts';
import { useKinds } from '../kinds/use-kinds.ts';
import type { TableView } from '../live/live-table.ts';
import type { ApiObject } from '../live/rows.ts';
import { useRights } from '../rights/use-rights.ts';
import { Link } from '../route/link.tsx';
import { listOf } from '../route/route.ts';
import type { Route } from '../route/route.ts';
import { go, useMoment } from '../route/use-route.ts';
import { ErrorBoundary } from '../shell/error-boundary.tsx';
import { Loading } from '../shell/loading.tsx';
import { part } from '../shell/part.tsx';
import type { Texts } from '../texts/english.ts';
import { useText } from '../texts/use-text.ts';
import { visible } from '../texts/visible.ts';
import { EventsTab } from './events-tab.tsx';
import { RelatedTab } from './related-tab.tsx';
import { SummaryTab } from './summary-tab.tsx';
import type { TabProps } from './tab-props.ts';
import { TAB_RULES } from './tab-rules.ts';
import type { TabName } from './tab-rules.ts';
import { useObject } from './use-object.ts';

type ObjectRoute = Extract<Route, { readonly page: 'object' }>;

// Loaded when somebody opens them.
const WhyTab = part(async () => (await import('../why/why-tab.tsx')).WhyTab);
const HistoryTab = part(async () => (await import('../history/history-tab.tsx')).HistoryTab);
const YamlTab = part(async () => (await import('./yaml-tab.tsx')).YamlTab);
const LogsTab = part(async () => (await import('../logs/logs-tab.tsx')).LogsTab);
const TerminalTab = part(async () => (await import('../terminal/terminal-tab.tsx')).TerminalTab);

const CONTENTS: { readonly [name in TabName]: (props: TabProps) => ReactNode } = {
  summary: SummaryTab,
  why: WhyTab,
  yaml: YamlTab,
  history: HistoryTab,
  events: EventsTab,
  related: RelatedTab,
  logs: LogsTab,
  terminal: TerminalTab,
};

/** One object: what it is, what it is part of, what happened to it, and what can be done with it. */
export function ObjectPage({ kind, route }: { readonly kind: Resource; readonly route: ObjectRoute }): ReactNode {
  const text = useText();
  const { object, state, error } = useObject(kind, route);
  const rights = useRights(route.namespace);
  const hasTrace = useKinds().some(({ group }) => group === TRACE_GROUP);
  const isPast = useMoment() !== undefined;
  const shown = object ?? (state === 'loading' ? undefined : goneObject(kind, route));
  const tabs = TAB_RULES.filter(
    (tab) => tab.fits(kind, { rights, hasTrace, isPast }) && (object !== undefined || tab.outlives === true),
  );
  const tab = tabs.find(({ name }) => name === route.tab) ?? tabs[0];
  return (
    <Stack h="100%" gap="sm">
      <Header kind={kind} route={route} object={object} />
      {error === undefined ? null : (
        <Alert color="red" role="alert">
          {error}
        </Alert>
      )}
      {object === undefined && shown !== undefined ? <Text c="dimmed">{absenceText(text, state, isPast)}</Text> : null}
      {shown === undefined ? (
        <Loading />
      ) : (
        <Tabs
          value={tab?.name ?? null}
          onChange={(name) => go({ ...route, tab: name ?? 'summary' })}
          keepMounted={false}
          // Tabs are read, watched, and one of them runs a shell: keys that only walk past one open none.
          activateTabWithKeyboard={false}
          style={{ flex: 1, display: 'flex', flexDirection: 'column', minHeight: 0 }}
        >
          <Tabs.List>
            {tabs.map(({ name, label }) => (
              <Tabs.Tab key={name} value={name}>
                {text[label]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {tabs.map(({ name }) => (
            <Tabs.Panel
              key={name}
              value={name}
              pt="sm"
              tabIndex={0}
              style={{ flex: 1, minHeight: 0, overflow: 'auto' }}
            >
              <ErrorBoundary place={name}>
                <Suspense fallback={<Loading />}>
                  <Content name={name} kind={kind} object={shown} />
                </Suspense>
              </ErrorBoundary>
            </Tabs.Panel>
          ))}
        </Tabs>
      )}
    </Stack>
  );
}

function Content({ name, ...props }: TabProps & { readonly name: TabName }): ReactNode {
  const Tab = CONTENTS[name];
  return <Tab {...props} />;
}

/** Of what is gone its name is left, and what the trace knows of it. */
function goneObject(kind: Resource, { namespace, name }: ObjectRoute): ApiObject {
  const place = namespace === '' ? {} : { namespace };
  return { apiVersion: '', kind: kind.kind, metadata: { name, resourceVersion: '', ...place } };
}

interface HeaderProps {
  readonly kind: Resource;
  readonly route: ObjectRoute;
  readonly object: ApiObject | undefined;
}

function Header({ kind, route, object }: HeaderProps): ReactNode {
  const text = useText();
  const { namespace, name } = route;
  const isPast = useMoment() !== undefined;
  const list = listOf(kind, namespace);
  return (
    <Group justify="space-between">
      <Stack gap={0}>
        <Breadcrumbs>
          <Link to={list}>{kind.kind}</Link>
          {namespace === '' ? null : <Text size="sm">{namespace}</Text>}
        </Breadcrumbs>
        <Group gap="sm">
          <Title order={1} size="h3">
            {visible(name)}
          </Title>
          {object?.metadata.deletionTimestamp === undefined ? null : (
            <Badge color="orange" variant="dot">
              {text.terminating}
            </Badge>
          )}
        </Group>
      </Stack>
      {object === undefined || isPast ? null : <ActionBar kind={kind} object={object} />}
    </Group>
  );
}

/** Why there is nothing to look at. */
function absenceText(text: Texts, state: TableView['state'], isPast: boolean): string {
  if (state === 'compacted') return text.compactedHint;
  if (state === 'timeless') return text.timelessHint;
  return isPast ? text.notThere : text.gone;
}
