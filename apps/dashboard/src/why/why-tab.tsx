import { Alert, Button, Checkbox, Code, Group, Stack, Text, Title } from '@mantine/core';
import { htmlPage } from '@binnacle/trace';
import type { Arrow, PastRevision, PastRevisionList, PodExplanation, TraceHop } from '@binnacle/trace';
import { useEffect, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { ApiError, request } from '../api/request.ts';
import { changedPart, diffLines } from '../object/line-diff.ts';
import type { TabProps } from '../object/tab-props.ts';
import { yamlOf } from '../object/yaml-text.ts';
import { useText } from '../texts/use-text.ts';
import { DecisionTable } from './decision-table.tsx';
import { Sequence } from './sequence.tsx';
import { storyOf } from './story.ts';
import { storyPath, useHops } from './use-hops.ts';

/** Why an object is as it is: every call, commit and decision that made it so, as it happens. */
export function WhyTab({ kind, object }: TabProps): ReactNode {
  const text = useText();
  const { hops, ring, error } = useHops(kind, object);
  const [choice, setChoice] = useState({ checks: true, watches: false });
  const [chosen, setChosen] = useState<Arrow>();
  const story = useMemo(() => storyOf(hops, choice), [hops, choice]);
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Checkbox
          label={text.checks}
          checked={choice.checks}
          onChange={(event) => setChoice({ ...choice, checks: event.currentTarget.checked })}
        />
        <Checkbox
          label={text.watches}
          checked={choice.watches}
          onChange={(event) => setChoice({ ...choice, watches: event.currentTarget.checked })}
        />
        <Button size="xs" variant="default" onClick={() => save(object.metadata.name, hops)}>
          HTML
        </Button>
      </Group>
      {error === undefined ? null : (
        <Alert color="red" role="alert">
          {error}
        </Alert>
      )}
      {ring !== undefined && hops.some(({ cause }) => cause.type === 'forgotten') ? (
        <Alert color="gray">{text.forgotten}</Alert>
      ) : null}
      {story.arrows.length === 0 ? <Text c="dimmed">{text.nothing}</Text> : null}
      <div style={{ overflow: 'auto', maxHeight: '55vh' }} tabIndex={0} role="region" aria-label={text.why}>
        <Sequence story={story} label={text.why} chosen={chosen?.hop.metadata.name} onChoose={setChosen} />
      </div>
      {chosen === undefined ? null : <HopDetail kind={kind} object={object} hop={chosen.hop} />}
    </Stack>
  );
}

function HopDetail({ kind, object, hop }: TabProps & { readonly hop: TraceHop }): ReactNode {
  const text = useText();
  return (
    <Stack gap="xs">
      <Title order={2} size="h5">
        {hop.title}
      </Title>
      {hop.type === 'decision' && hop.detail !== undefined ? (
        <DecisionTable explanation={hop.detail as unknown as PodExplanation} />
      ) : null}
      {hop.type === 'commit' && hop.revision !== undefined ? (
        <Change kind={kind} object={object} revision={hop.revision} />
      ) : null}
      <Code block tabIndex={0} aria-label={text.details}>
        {yamlOf(hop)}
      </Code>
    </Stack>
  );
}

/** What a commit changed of the object that is looked at; nothing where it was another object's. */
function Change({ kind, object, revision }: TabProps & { readonly revision: string }): ReactNode {
  const text = useText();
  const [items, setItems] = useState<readonly PastRevision[]>([]);
  const path = storyPath(kind, object, 'revisions');
  useEffect(() => {
    request<PastRevisionList>({ path }).then(
      ({ value }) => setItems(value.items),
      (error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        setItems([]);
      },
    );
  }, [path, revision]);
  const at = items.findIndex((item) => item.revision === revision);
  const item = items[at];
  if (item === undefined) return null;
  const before = items[at - 1];
  const lines = changedPart(diffLines(before === undefined ? '' : yamlOf(before.object), yamlOf(item.object)));
  return (
    <Code block aria-label={text.difference} tabIndex={0}>
      {lines.map(({ sign, text: line }) => `${sign} ${line}`).join('\n')}
    </Code>
  );
}

function save(name: string, hops: readonly TraceHop[]): void {
  const url = URL.createObjectURL(new Blob([htmlPage(hops, name)], { type: 'text/html' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name}-why.html`;
  link.click();
  URL.revokeObjectURL(url);
}
