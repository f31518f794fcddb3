import { Alert, Button, Checkbox, Group, Stack, Table, Text, Title } from '@mantine/core';
import type { PastRevision } from '@binnacle/trace';
import { useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { HeadRow } from '../lists/head-row.tsx';
import type { TabProps } from '../object/tab-props.ts';
import { goTo, useMoment } from '../route/use-route.ts';
import { Loading } from '../shell/loading.tsx';
import { useText } from '../texts/use-text.ts';
import { storyPath } from '../why/use-hops.ts';
import { ObjectDiff } from './diff-view.tsx';
import { fieldWriters } from './field-writers.ts';
import type { ManagedFields } from './field-owner.ts';
import { useRevisions } from './use-revisions.ts';

/** The latest versions that the store still has of an object: who made each and why, what changed, who wrote each field. */
export function HistoryTab({ kind, object }: TabProps): ReactNode {
  const text = useText();
  const moment = useMoment();
  const { metadata } = object;
  const {
    items,
    compactedBefore,
    isCut = false,
    isTimeless = false,
    error,
  } = useRevisions(storyPath(kind, object, 'revisions'), `${metadata.resourceVersion} ${moment ?? ''}`);
  if (items === undefined) return <Loading />;
  if (isTimeless) return <Text c="dimmed">{text.timelessHint}</Text>;
  const shown = moment === undefined ? items : items.filter(({ revision }) => Number(revision) <= Number(moment));
  return (
    <Stack gap="md">
      {error === undefined ? null : (
        <Alert color="red" role="alert">
          {error}
        </Alert>
      )}
      {compactedBefore === undefined ? null : (
        <Alert color="gray">
          {text.compactedBefore} {compactedBefore}
        </Alert>
      )}
      {isCut ? <Alert color="gray">{text.olderRevisions}</Alert> : null}
      <Versions items={shown} />
      <Writers items={shown} isWhole={compactedBefore === undefined && !isCut} />
    </Stack>
  );
}

/** The latest; the slider over time leads to those before. */
const VERSIONS_MAX = 300;
const MARKS = { ADDED: '+', MODIFIED: '~', DELETED: '-' } as const;

function Versions({ items }: { readonly items: readonly PastRevision[] }): ReactNode {
  const text = useText();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [before, after] = pairOf(items, chosen);
  const toggle = (revision: string): void =>
    setChosen((now) => (now.includes(revision) ? now.filter((one) => one !== revision) : [...now, revision].slice(-2)));
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {text.chooseTwo}
      </Text>
      <Table aria-label={text.revisions} highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {['', text.revision, text.when, text.who, text.request, ''].map((head, at) =>
              head === '' ? <Table.Td key={at} /> : <Table.Th key={at}>{head}</Table.Th>,
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items
            .slice(-VERSIONS_MAX)
            .toReversed()
            .map(({ revision, type, component, user, request, atMs }) => (
              <Table.Tr key={revision}>
                <Table.Td>
                  <Checkbox
                    size="xs"
                    aria-label={`${text.revision} ${revision}`}
                    checked={chosen.includes(revision)}
                    onChange={() => toggle(revision)}
                  />
                </Table.Td>
                <Table.Td style={{ whiteSpace: 'nowrap' }}>
                  {MARKS[type]} {revision}
                </Table.Td>
                <Table.Td>
                  {atMs === undefined ? '' : new Date(atMs).toLocaleTimeString([], { hour12: false })}
                </Table.Td>
                <Table.Td>{component === undefined ? text.nobodyKnows : whoText(component, user)}</Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{request}</Table.Td>
                <Table.Td>
                  <Button size="compact-xs" variant="subtle" onClick={() => goTo(revision)}>
                    {text.goThere}
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
        </Table.Tbody>
      </Table>
      {items.length > VERSIONS_MAX ? <Text c="dimmed">… {items.length - VERSIONS_MAX}</Text> : null}
      {after === undefined ? null : (
        <>
          <Title order={2} size="h5">
            {text.difference}: {before === undefined ? '∅' : before.revision} → {after.revision}
          </Title>
          <ObjectDiff before={contentOf(before)} after={contentOf(after)} />
        </>
      )}
    </Stack>
  );
}

/** Of one that is chosen, what it changed; of two, what is between them; of none, what the last changed. */
function pairOf(
  items: readonly PastRevision[],
  chosen: readonly string[],
): readonly [before: PastRevision | undefined, after: PastRevision | undefined] {
  const found = items.filter(({ revision }) => chosen.includes(revision));
  if (found.length === 2) return [found[0], found[1]];
  const after = found[0] ?? items.at(-1);
  return [after === undefined ? undefined : items[items.indexOf(after) - 1], after];
}

function contentOf(revision: PastRevision | undefined): unknown {
  return revision === undefined || revision.type === 'DELETED' ? undefined : revision.object;
}

function Writers({
  items,
  isWhole,
}: {
  readonly items: readonly PastRevision[];
  readonly isWhole: boolean;
}): ReactNode {
  const text = useText();
  const [isOpen, setOpen] = useState(false);
  const writers = useMemo(() => (isOpen ? fieldWriters(items, isWhole) : []), [items, isWhole, isOpen]);
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Title order={2} size="h5">
          {text.whoWrote}
        </Title>
        <Button size="compact-xs" variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? text.close : text.show}
        </Button>
      </Group>
      {isOpen ? (
        <Table aria-label={text.whoWrote} highlightOnHover>
          <HeadRow names={[text.field, text.value, text.revision, text.who, text.manager]} />
          <Table.Tbody>
            {writers.map(({ path, value, revision, managers }) => (
              <Table.Tr key={path}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{path}</Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
                <Table.Td>{revision?.revision ?? text.nobodyKnows}</Table.Td>
                <Table.Td>{revision?.component ?? ''}</Table.Td>
                <Table.Td>{managers.map(managerText).join(', ')}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      ) : null}
    </Stack>
  );
}

/** Components of this process are called as they log in. */
function whoText(component: string, user: string | undefined): string {
  return user === undefined || user === component ? component : `${component} (${user})`;
}

function managerText({ manager = '', operation = '', subresource }: ManagedFields): string {
  return `${manager} (${operation}${subresource === undefined ? '' : `, ${subresource}`})`;
}
