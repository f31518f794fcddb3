import { Badge, Button, Card, Code, CopyButton, Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { filterRows } from '../lists/filter-rows.ts';
import { useTable } from '../live/use-table.ts';
import { Link } from '../route/link.tsx';
import { parseRoute } from '../route/route.ts';
import { useText } from '../texts/use-text.ts';
import type { Lesson, LessonStep, Part, Seen } from './parse-lesson.ts';

/** A story, step by step: the commands to give, and whether the cluster shows that it happened. */
export function LessonPage({ lesson: { title, intro, steps } }: { readonly lesson: Lesson }): ReactNode {
  const text = useText();
  const [doneSteps, setDoneSteps] = useState(0);
  return (
    <Stack gap="md" maw={900}>
      <Group gap="sm">
        <Link to={{ page: 'lessons', name: '' }}>{text.lessons}</Link>
        <Title order={1} size="h3">
          {title}
        </Title>
      </Group>
      <Parts parts={intro} />
      {steps.map((step, at) => (
        <StepCard
          key={step.title}
          step={step}
          number={at + 1}
          state={at < doneSteps ? 'done' : at === doneSteps ? 'current' : 'later'}
          onDone={() => setDoneSteps(at + 1)}
        />
      ))}
      {doneSteps === steps.length ? (
        <Text fw={700} role="status">
          {text.lessonDone}
        </Text>
      ) : null}
    </Stack>
  );
}

interface StepCardProps {
  readonly step: LessonStep;
  readonly number: number;
  readonly state: 'done' | 'current' | 'later';
  readonly onDone: () => void;
}

function StepCard({ step: { title, parts, seen, look }, number, state, onDone }: StepCardProps): ReactNode {
  const text = useText();
  return (
    <Card withBorder padding="sm" component="section" aria-label={title} data-state={state}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={2} size="h5">
            {number}. {title}
          </Title>
          {state === 'done' ? (
            <Badge color="teal" variant="dot">
              {text.seen}
            </Badge>
          ) : null}
        </Group>
        <Parts parts={parts} />
        <Group gap="sm">
          {look === undefined ? null : <Link to={parseRoute(...addressParts(look))}>{text.lookThere}</Link>}
          {state === 'current' && seen !== undefined ? <Watcher seen={seen} onSeen={onDone} /> : null}
          {state === 'current' && seen === undefined ? (
            <Button size="compact-sm" onClick={onDone}>
              {text.done}
            </Button>
          ) : null}
        </Group>
      </Stack>
    </Card>
  );
}

function addressParts(look: string): [path: string, search: string] {
  const [path = '', search = ''] = look.split('?');
  return [path, search];
}

/** Watches the cluster until it shows what the step is about. */
function Watcher({ seen, onSeen }: { readonly seen: Seen; readonly onSeen: () => void }): ReactNode {
  const text = useText();
  const { rows, state } = useTable(seen.path, { query: seen.query, isOfNow: true });
  const found = filterRows(rows, seen.words).length;
  const isSeen = state === 'live' && (seen.rows === 0 ? found === 0 : found >= seen.rows);
  useEffect(() => {
    if (isSeen) onSeen();
  });
  return (
    <Text size="sm" c="dimmed" role="status">
      {text.waitingFor} {found} / {seen.rows}
    </Text>
  );
}

function Parts({ parts }: { readonly parts: readonly Part[] }): ReactNode {
  return parts.map((part, at) =>
    part.type === 'code' ? (
      <Commands key={at} text={part.text} />
    ) : (
      <Text key={at} size="sm">
        {part.spans.map((span, place) => (span.type === 'code' ? <Code key={place}>{span.text}</Code> : span.text))}
      </Text>
    ),
  );
}

function Commands({ text: commands }: { readonly text: string }): ReactNode {
  const text = useText();
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <Code block tabIndex={0} style={{ flex: 1, minWidth: 0 }} data-commands>
        {commands}
      </Code>
      <CopyButton value={commands}>
        {({ copied, copy }) => (
          <Button size="compact-sm" variant="default" onClick={copy}>
            {copied ? text.copied : text.copy}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}
