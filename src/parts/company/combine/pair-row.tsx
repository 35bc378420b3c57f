import { Button, Radio } from 'antd'
import { useState } from 'react'
import { type CombineKind, combinePlatform } from '../../../../server/contract/people/binding.ts'
import { holders } from '../../../../server/contract/who.ts'
import { useCall } from '../../../api.ts'
import { useMay } from '../../../session.ts'
import { toast } from '../../../ui/over/toast.ts'
import { groundWords, whyWords } from '../platform/words.ts'
import styles from './combine.module.css'
import { aboutOf, type Colleague, type CombinePair, PersonThere } from './person-there.tsx'
import type { ColleagueView } from './use-colleagues.ts'

type Props = {
  kind: CombineKind
  pair: CombinePair
  shown: ColleagueView
  onDone: () => void
  onAsk: (person: Colleague) => void
}

/** Both sides beside one another, and what can be said of them. */
export function PairRow({ kind, pair, shown, onDone, onAsk }: Props) {
  const { platform_user: there, why, linked_by, candidates } = pair
  const [only] = candidates.length === 1 && kind === 'suggested' ? candidates : []
  const [chosen, setChosen] = useState(only?.member_id)
  const decide = useCall(combinePlatform, {
    onSuccess: ({ linked, created }) => {
      toast.done(linked ? '已对应' : created ? '已加入花名册' : '已忽略，可以在「已忽略」里找回')
      onDone()
    },
  })
  const say = (member_id: string) => decide.mutate({ decisions: [{ platform_user_id: there.platform_user_id, member_id }] })
  const name = there.name || there.platform_user_id
  const isLinked = kind === 'same' || kind === 'left'
  // Of whom the roster is read.
  const mayRead = useMay()(holders('1', '2', '3'))
  return (
    <li className={styles.pair}>
      <div>
        <small>平台</small>
        <PersonThere person={there} shown={shown} />
        {why && <em>{whyWords[why]}</em>}
        {linked_by && <em data-calm>{groundWords[linked_by]}</em>}
      </div>
      <div>
        <small>花名册</small>
        {candidates.length === 0 ? (
          <span>{shown.state === 'told' ? '没有相同的人' : '还没有对应'}</span>
        ) : isLinked ? (
          candidates.map((one) => (
            <span key={one.member_id}>
              <strong>{one.name}</strong> {aboutOf(one)}
            </span>
          ))
        ) : (
          <Radio.Group
            aria-label={`${name} 在花名册里是`}
            value={chosen}
            onChange={(event) => setChosen(String(event.target.value))}
            options={candidates.map((one) => ({
              value: one.member_id,
              label: (
                <>
                  <strong>{one.name}</strong> <span>{aboutOf(one)}</span>
                </>
              ),
            }))}
          />
        )}
      </div>
      {!isLinked && (
        <div className={`ui-row ${styles.acts}`}>
          {candidates.length > 0 && (
            <Button type="primary" disabled={!chosen} loading={decide.isPending} onClick={() => chosen && say(chosen)}>
              是这个人
            </Button>
          )}
          {mayRead && (
            <Button disabled={decide.isPending} aria-label={`从花名册选 ${name} 是谁`} onClick={() => onAsk(there)}>
              从花名册选
            </Button>
          )}
          {/* Nobody can be added without a name. */}
          {there.name && (
            <Button disabled={decide.isPending} aria-label={`把 ${name} 加入花名册`} onClick={() => say('create')}>
              加入花名册
            </Button>
          )}
          {kind !== 'ignored' && (
            <Button type="text" disabled={decide.isPending} aria-label={`忽略 ${name}`} onClick={() => say('ignore')}>
              忽略
            </Button>
          )}
        </div>
      )}
    </li>
  )
}
