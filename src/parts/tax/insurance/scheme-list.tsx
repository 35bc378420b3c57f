import { Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import type { SchemeInfo, SchemeTemplate } from '../../../../server/contract/wage/insurance.ts'
import { insuranceNames } from '../../../../server/contract/wage/kinds.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Empty } from '../../../ui/state/empty.tsx'
import { Menu } from '../../../ui/table/menu.tsx'
import { Money } from '../../../ui/value/money.tsx'
import { StatusDot } from '../../../ui/value/status-dot.tsx'
import styles from '../tax.module.css'
import { emptyScheme, rateOf, roundingOf, validity } from './words.ts'

const SchemeDialog = lazy(async () => ({ default: (await import('./scheme-dialog.tsx')).SchemeDialog }))

type Editing = { readonly scheme: SchemeTemplate; readonly of: SchemeInfo | null; readonly as_new_version: boolean }

/** The company's schemes as cards; what cities have published is offered to begin with. */
export function SchemeList({ list, templates }: { list: readonly SchemeInfo[]; templates: readonly SchemeTemplate[] }) {
  const [editing, setEditing] = useState<Editing | null>(null)
  const begin = (scheme: SchemeTemplate) => setEditing({ scheme, of: null, as_new_version: false })
  const add = (
    <AddButton templates={templates} onAdd={(template) => begin(template ?? emptyScheme(`${new Date().getFullYear()}-07`))} />
  )
  return (
    <>
      {list.length === 0 ? (
        <section className="ui-card">
          <Empty
            text="还没有参保方案。从城市公布的标准开始，或自己填写一份；不同年度各存一份，以前月份的计算不会改变。"
            action={add}
          />
        </section>
      ) : (
        <>
          <div className="ui-row">{add}</div>
          <div className={styles.schemes}>
            {list.map((scheme) => (
              <SchemeCard
                key={scheme.scheme_id}
                scheme={scheme}
                onEdit={() => setEditing({ scheme, of: scheme, as_new_version: scheme.used_through !== null })}
              />
            ))}
          </div>
        </>
      )}
      {editing && (
        <Suspense fallback={null}>
          <SchemeDialog {...editing} onClose={() => setEditing(null)} />
        </Suspense>
      )}
    </>
  )
}

function AddButton({
  templates,
  onAdd,
}: {
  templates: readonly SchemeTemplate[]
  onAdd: (template: SchemeTemplate | null) => void
}) {
  const items = [
    ...templates.map((one, at) => ({ key: String(at), label: `${one.city} ${validity(one)}（已公布）` })),
    { key: 'empty', label: '其他城市，自己填写' },
  ]
  return (
    <Menu items={items} onChoose={(key) => onAdd(key === 'empty' ? null : (templates[Number(key)] ?? null))}>
      {(trigger) => (
        <Button ref={trigger} type="primary" icon={<Icon name="add" />}>
          添加方案
        </Button>
      )}
    </Menu>
  )
}

function SchemeCard({ scheme, onEdit }: { scheme: SchemeInfo; onEdit: () => void }) {
  const { city, document, items, version, used_through, replaced, by, changed_at } = scheme
  const checks = items.flatMap(({ code, check }) => (check ? [`${insuranceNames[code]}：${check}`] : []))
  return (
    <article className={`ui-card ${styles.scheme}`} data-old={replaced || undefined} aria-label={`${city} ${validity(scheme)}`}>
      <div className={styles.schemeHead}>
        <h2>
          {city} <small className="ui-hint">{validity(scheme)}</small>
        </h2>
        {replaced ? (
          <StatusDot word="已被新版本取代" tone="ink3" />
        ) : used_through ? (
          <StatusDot word={`${used_through} 及以前已锁定`} tone="info" />
        ) : (
          <StatusDot word="可以修改" tone="ok" />
        )}
        {!replaced && (
          <Button
            type="link"
            aria-label={`${used_through ? '另存为新版本' : '修改'}：${city} ${validity(scheme)}`}
            onClick={onEdit}
          >
            {used_through ? '另存为新版本' : '修改'}
          </Button>
        )}
      </div>
      <table>
        <thead>
          <tr>
            <th scope="col">险种</th>
            <th scope="col">基数下限 – 上限</th>
            <th scope="col">个人</th>
            <th scope="col">单位</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.code}>
              <th scope="row">
                {insuranceNames[item.code]}
                <div className="ui-hint">{roundingOf(item)}</div>
              </th>
              <td>
                <Money fen={item.floor_fen} /> – {item.ceiling_fen === null ? '不限' : <Money fen={item.ceiling_fen} />}
              </td>
              <td>{rateOf(item, 'employee')}</td>
              <td>{rateOf(item, 'employer')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {checks.length > 0 && <p className={styles.soon}>使用前请核对：{checks.join('；')}</p>}
      <p className={styles.schemeSource}>依据：{document}</p>
      <p className={styles.schemeSource}>
        第 {version} 版 · {by} 于 {changed_at.slice(0, 10)} 保存
      </p>
    </article>
  )
}
