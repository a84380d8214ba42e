import type { Command } from 'commander'
import { readContract, writeContract } from '../../contract-file/index.ts'
import { type Contract, draftContract } from '../../domain/audit/index.ts'
import { isWhole, type Snapshot } from '../../domain/snapshot/index.ts'
import { type Context, printResult } from '../context.ts'
import { define } from '../define.ts'
import { openSnapshot } from '../snapshot/open-snapshot.ts'
import { addSnapshotOptions } from '../snapshot/options.ts'

interface InitOptions {
  readonly json?: boolean
  readonly output?: string
}

/** Adds `contract`: the file in which an installation declares its lanes. */
export function addContract(program: Command, context: Context): void {
  const contract = program
    .command('contract')
    .description('The contract file: what an installation declares about itself (docs/contract-file.md).')
  addInit(contract, context)
  addCheck(contract, context)
}

function addInit(contract: Command, context: Context): void {
  const command = define(contract, context, {
    name: 'init',
    description:
      'Write a contract file that declares the fleet as it is now: to standard output, or to a new file. An audit with it finds differences from then on.',
    example: [
      'holdfast contract init -o holdfast-contract.yaml',
      'holdfast contract init --snapshot incident.snapshot.gz',
      'holdfast audit contract --contract holdfast-contract.yaml',
    ].join('\n'),
    settings: 'client',
  }).option('-o, --output <file>', 'a file that is not there yet')
  addSnapshotOptions(command, { withFile: true })
  command.action(async ({ json, output }: InitOptions) => {
    const snapshot = await openSnapshot(command, context)
    const drafted = draftContract(snapshot, output ?? '-')
    const text = writeContract(drafted)
    for (const warning of warningsFor(snapshot, drafted)) context.stderr.write(`${warning}\n`)
    if (output !== undefined) await context.roles.createTextFile(output, text)
    const result = { file: output ?? null, lanes: drafted.lanes.length, contract: text }
    if (json || output !== undefined)
      printResult(context, { json: json === true }, result, `${output}: ${countsText(drafted)}.`)
    else context.stdout.write(text)
  })
}

function addCheck(contract: Command, context: Context): void {
  const command = define(contract, context, {
    name: 'check <file>',
    description:
      'Read a contract file and say everything that is wrong with it, with lines. Asks no cluster.',
    example: 'holdfast contract check holdfast-contract.yaml',
    settings: 'none',
  })
  command.action((file: string, { json }: { json?: boolean }) => {
    const read = readContract(file, context.readFile)
    printResult(context, { json: json === true }, read, `${file} is in order: ${countsText(read)}.`)
  })
}

function warningsFor({ cluster }: Snapshot, { lanes }: Contract): string[] {
  return [
    ...(isWhole(cluster.scaleSets) ? [] : ['Not all scale sets could be read: lanes are missing.']),
    ...(lanes.length === 0 ? ['No scale set was found: the contract declares nothing.'] : []),
  ]
}

function countsText({ lanes, fixes }: Contract): string {
  return `${lanes.length === 1 ? '1 lane' : `${lanes.length} lanes`}, ${fixes.length === 1 ? '1 fix' : `${fixes.length} fixes`}`
}
