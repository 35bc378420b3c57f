import { Tree as AntTree } from 'antd'
import { type ReactNode, useMemo, useState } from 'react'
import type { TreeNode } from './tree-picker.tsx'

const idsOf = (tree: readonly TreeNode[]): string[] => tree.flatMap((node) => [node.ID, ...idsOf(node.child)])

/**
 * A tree, all open until somebody folds a branch. Choosing the chosen one again lets it go. With a `height` it scrolls by itself, and only
 * the rows in sight are drawn. `folded` with `onFold`: the page keeps what is folded.
 */
export function Tree<N extends TreeNode>(props: {
  tree: readonly N[]
  chosen?: string | undefined
  onChoose?: (id: string | undefined) => void
  titleOf?: (node: N) => ReactNode
  height?: number
  folded?: ReadonlySet<string>
  onFold?: (folded: ReadonlySet<string>) => void
}) {
  const { tree, chosen, onChoose, titleOf, height } = props
  // What is folded, not what is open: a branch that comes later is open too.
  const [own, setOwn] = useState<ReadonlySet<string>>(new Set())
  const [folded, setFolded] = props.folded ? [props.folded, props.onFold] : [own, setOwn]
  const all = useMemo(() => idsOf(tree), [tree])
  // The same list as long as nothing is folded: antd lays the tree out anew for another one.
  const open = useMemo(() => all.filter((id) => !folded.has(id)), [all, folded])
  return (
    <AntTree
      blockNode
      treeData={tree as never[]}
      fieldNames={{ title: 'NAME', key: 'ID', children: 'child' }}
      expandedKeys={open}
      onExpand={(keys) => {
        const now = new Set(keys)
        const here = new Set(all)
        // What a search has put out of sight stays as it was.
        setFolded?.(new Set([...[...folded].filter((id) => !here.has(id)), ...all.filter((id) => !now.has(id))]))
      }}
      selectedKeys={chosen ? [chosen] : []}
      onSelect={([id]) => onChoose?.(id === undefined ? undefined : String(id))}
      // What is long is not moved row by row.
      {...(height ? { height, motion: false } : {})}
      {...(titleOf ? { titleRender: (node: unknown) => titleOf(node as N) } : {})}
    />
  )
}
