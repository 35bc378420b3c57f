import { Tree as AntTree } from 'antd'
import { type ReactNode, useMemo, useState } from 'react'
import type { TreeNode } from './tree-picker.tsx'

const collectIds = (tree: readonly TreeNode[]): string[] => tree.flatMap((node) => [node.ID, ...collectIds(node.child)])

/**
 * A tree, all open until somebody folds a branch. Choosing the chosen one again lets it go. With a `height` it scrolls by itself, and only
 * the rows in sight are drawn. `folded` with `onFold`: the page keeps what is folded.
 */
export function Tree<N extends TreeNode>(props: {
  tree: readonly N[]
  selected?: string | undefined
  onChoose?: (id: string | undefined) => void
  titleMap?: (node: N) => ReactNode
  height?: number
  folded?: ReadonlySet<string>
  onFold?: (folded: ReadonlySet<string>) => void
}) {
  const { tree, selected, onChoose: onSelect, titleMap: renderTitle, height } = props
  // What is folded, not what is open: a branch that comes later is open too.
  const [ownFolded, setOwnFolded] = useState<ReadonlySet<string>>(new Set())
  const [folded, setFolded] = props.folded ? [props.folded, props.onFold] : [ownFolded, setOwnFolded]
  const all = useMemo(() => collectIds(tree), [tree])
  // The same list as long as nothing is folded: antd lays the tree out anew for another one.
  const expanded = useMemo(() => all.filter((id) => !folded.has(id)), [all, folded])
  return (
    <AntTree
      blockNode
      treeData={tree as never[]}
      fieldNames={{ title: 'NAME', key: 'ID', children: 'child' }}
      expandedKeys={expanded}
      onExpand={(keys) => {
        const expandedIds = new Set(keys)
        const visibleIds = new Set(all)
        // What a search has put out of sight stays as it was.
        setFolded?.(new Set([...[...folded].filter((id) => !visibleIds.has(id)), ...all.filter((id) => !expandedIds.has(id))]))
      }}
      selectedKeys={selected ? [selected] : []}
      onSelect={([id]) => onSelect?.(id === undefined ? undefined : String(id))}
      // What is long is not moved row by row.
      {...(height ? { height, motion: false } : {})}
      {...(renderTitle ? { titleRender: (node: unknown) => renderTitle(node as N) } : {})}
    />
  )
}
