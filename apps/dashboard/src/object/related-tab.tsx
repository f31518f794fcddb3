import { Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import type { Resource } from '../api/discovery.ts';
import { useKinds } from '../kinds/use-kinds.ts';
import type { ApiObject } from '../live/rows.ts';
import { readObjects } from '../palette/read-objects.ts';
import { Link } from '../route/link.tsx';
import { listOf } from '../route/route.ts';
import { Loading } from '../shell/loading.tsx';
import { useText } from '../texts/use-text.ts';
import { visible } from '../texts/visible.ts';
import { findFamily } from './family.ts';
import type { Family } from './family.ts';
import type { TabProps } from './tab-props.ts';
import { mentionsOf, ownersOf } from './related.ts';
import type { OwnerReference } from './related.ts';
import { selectedPods } from './selected-pods.ts';

/** What an object belongs to, what belongs to it, both as far as it goes, and what it names. */
export function RelatedTab({ object }: TabProps): ReactNode {
  const text = useText();
  const kinds = useKinds();
  const { namespace = '' } = object.metadata;
  const family = useFamily(object);
  // Its own owners are known before anybody is asked.
  const above = family?.owners ?? ownersOf(object).map((owner) => ({ ...owner, depth: 0 }));
  const owners = above.map(({ apiVersion, kind: name, name: owner, depth }) => ({
    kind: kinds.find((one) => one.kind === name && groupOf(apiVersion) === one.group),
    label: `${name} ${owner}`,
    name: owner,
    namespace,
    depth,
  }));
  const mentions = mentionsOf(object).map(({ group, resource, name, field }) => ({
    kind: kinds.find((one) => one.group === group && one.resource === resource),
    label: `${name} (${field})`,
    name,
    namespace,
  }));
  return (
    <Stack gap="md">
      <Links title={text.belongsTo} links={owners} />
      {family === undefined ? <Loading size="sm" /> : <Links title={text.owns} links={family.owned} />}
      <Selected object={object} />
      <Links title={text.names} links={mentions} />
    </Stack>
  );
}

const LINKS_MAX = 300;
const INDENT_PX = 20;

interface LinksProps {
  readonly title: string;
  readonly links: readonly RelatedLink[];
}

interface RelatedLink {
  /** Undefined: nobody serves it. */
  readonly kind: Resource | undefined;
  readonly label: string;
  readonly name: string;
  /** Of kinds that are in one. */
  readonly namespace: string;
  /** How far in it stands. */
  readonly depth?: number;
}

function Links({ title, links }: LinksProps): ReactNode {
  const text = useText();
  return (
    <Stack gap={4}>
      <Title order={2} size="h5">
        {title}
      </Title>
      {links.length === 0 ? <Text c="dimmed">{text.nothing}</Text> : null}
      {links.slice(0, LINKS_MAX).map(({ kind, label, name, namespace, depth = 0 }, at) =>
        kind === undefined ? (
          <Text key={`${at} ${label}`} size="sm" pl={depth * INDENT_PX}>
            {visible(label)}
          </Text>
        ) : (
          <Group key={`${at} ${label}`} pl={depth * INDENT_PX}>
            <Link to={{ page: 'object', gvr: kind, namespace: kind.namespaced ? namespace : '', name, tab: 'summary' }}>
              {visible(label)}
            </Link>
          </Group>
        ),
      )}
      {links.length > LINKS_MAX ? <Text c="dimmed">… {links.length - LINKS_MAX}</Text> : null}
    </Stack>
  );
}

/** Undefined: not found yet. */
function useFamily(object: ApiObject): Family | undefined {
  const kinds = useKinds();
  const [family, setFamily] = useState<Family>();
  const { uid = '', namespace } = object.metadata;
  // What an object belongs to hardly ever changes, and it is told anew with each of its versions.
  const own = JSON.stringify(ownersOf(object));
  useEffect(() => {
    const gone = new AbortController();
    const owners = JSON.parse(own) as readonly OwnerReference[];
    const show = (found: Family): void => {
      if (!gone.signal.aborted) setFamily(found);
    };
    const none = { owners: owners.map((owner) => ({ ...owner, depth: 0 })), owned: [] };
    findFamily(kinds, { uid, owners, namespace, signal: gone.signal, read: readObjects }).then(show, () => show(none));
    return () => gone.abort();
  }, [kinds, uid, namespace, own]);
  return family;
}

const PODS = { group: '', version: 'v1', resource: 'pods' };

/** The way to the list of the pods that it selects, or that run on it. */
function Selected({ object }: Pick<TabProps, 'object'>): ReactNode {
  const text = useText();
  const selection = selectedPods(object);
  if (selection === undefined) return null;
  const { namespace = '' } = object.metadata;
  return (
    <Stack gap={4}>
      <Title order={2} size="h5">
        {text.pods}
      </Title>
      <Group>
        <Link to={{ ...listOf(PODS, namespace), ...selection }}>{selection.labels || selection.fields}</Link>
      </Group>
    </Stack>
  );
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
}
