import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { encodeErrorResult, parseAbi } from 'viem'
import { afterEach, expect, test } from 'vitest'

import { createArtifacts } from './artifacts.ts'

const abi = parseAbi([
  'struct Range { uint256 from; uint256 to; }',
  'error TooLow(uint256 have, string why)',
  'error Outside(Range range, address[] who)',
  'error Nothing()',
  'function unrelated()',
])
const tooLow = encodeErrorResult({ abi, errorName: 'TooLow', args: [1n, 'a "quote"'] })
const nothing = encodeErrorResult({ abi, errorName: 'Nothing' })

const outputOf = (abi: unknown) => ({ contracts: { 'A.sol': { A: { abi } } } })

let folder: string | undefined

afterEach(() => {
  if (folder) rmSync(folder, { recursive: true })
  folder = undefined
})

function createFolder(): string {
  folder = mkdtempSync(join(tmpdir(), 'ethgate-artifacts-'))
  mkdirSync(join(folder, 'contracts', 'A.sol'), { recursive: true })
  return folder
}

test('default: names custom errors with their values, as Hardhat prints them', () => {
  const artifacts = createArtifacts()
  artifacts.addOutput('0.8.24', {}, outputOf(abi))
  expect(artifacts.describeError(tooLow)).toBe(String.raw`TooLow(1, "a \"quote\"")`)
  expect(artifacts.describeError(nothing)).toBe('Nothing()')
  const who = '0x00000000000000000000000000000000000000AA'
  const range = { from: 1n, to: 2n }
  const outside = encodeErrorResult({ abi, errorName: 'Outside', args: [range, [who]] })
  expect(artifacts.describeError(outside)).toBe(`Outside([1, 2], ["${who}"])`)
})

test('behavior: reads the artifacts of a folder, and those that a later build adds', async () => {
  const place = createFolder()
  writeFileSync(join(place, 'contracts', 'A.sol', 'A.json'), JSON.stringify({ abi }))
  writeFileSync(join(place, 'contracts', 'broken.json'), '{')
  const artifacts = createArtifacts(place)
  expect(artifacts.describeError(nothing)).toBe('Nothing()')
  const later = parseAbi(['error Later(bool yes)'])
  const data = encodeErrorResult({ abi: later, errorName: 'Later', args: [true] })
  expect(artifacts.describeError(data)).toBeUndefined()
  writeFileSync(join(place, 'contracts', 'B.json'), JSON.stringify({ abi: later }))
  await expect.poll(() => artifacts.describeError(data)).toBe('Later(true)')
})

test('behavior: knows a contract by its code, of Hardhat and Foundry, with immutable values', () => {
  const place = createFolder()
  const write = (name: string, deployedBytecode: unknown) =>
    writeFileSync(join(place, `${name}.json`), JSON.stringify({ abi, deployedBytecode }))
  write('Hardhat', '0x600160000102')
  write('Foundry', { object: '0x6002600003' })
  write('Interface', '0x')
  write('Unlinked', '0x73__$library$__')
  const artifacts = createArtifacts(place)
  const nameOf = (hex: string) => artifacts.contractOf(Buffer.from(hex, 'hex'))?.name
  expect(['600160070102', '6002600003', '6002600004', ''].map(nameOf)).toEqual([
    'Hardhat',
    'Foundry',
    undefined,
    undefined,
  ])
})

test('behavior: ignores entries that are no errors, and data that does not fit', () => {
  const artifacts = createArtifacts()
  for (const entry of [undefined, 'text', [null, 1, { type: 'error' }]])
    artifacts.addOutput('', {}, outputOf(entry))
  const odd = { type: 'error', name: 'Odd', inputs: [{ type: 'nonsense' }] }
  artifacts.addOutput('', {}, outputOf([odd, ...abi]))
  for (const output of [
    { contracts: 'text' },
    { contracts: { a: 1 } },
    { contracts: { a: { b: 1 } } },
  ])
    artifacts.addOutput('', {}, output as never)
  expect(artifacts.describeError(tooLow.slice(0, 12) as '0x')).toBeUndefined()
  expect(artifacts.describeError('0x01020304')).toBeUndefined()
  expect(artifacts.describeError('0x01')).toBeUndefined()
})

test('error: a folder that does not exist', () => {
  expect(() => createArtifacts('/nowhere/artifacts')).toThrow('/nowhere/artifacts cannot be read')
})

test('behavior: knows what a compiler was given, by a call, Hardhat 2 and Hardhat 3', () => {
  const place = createFolder()
  mkdirSync(join(place, 'build-info'))
  const output = (object: string) => ({
    contracts: { 'A.sol': { A: { abi, evm: { deployedBytecode: { object } } } } },
  })
  const write = (name: string, content: object) =>
    writeFileSync(join(place, 'build-info', name), JSON.stringify(content))
  const input = (content: string) => ({ sources: { 'A.sol': { content } } })
  write('one.json', { solcLongVersion: '0.8.1', input: input('two'), output: output('6001') })
  write('two.json', { solcLongVersion: '0.8.2', input: input('three') })
  write('two.output.json', { output: output('6002') })
  for (const code of ['6001', '6002', '6004'])
    writeFileSync(join(place, `${code}.json`), JSON.stringify({ abi, deployedBytecode: code }))
  const artifacts = createArtifacts(place)
  artifacts.addOutput('0.8.3', input('call'), output('6003'))
  const of = (code: string) => artifacts.compilationOf(Buffer.from(code, 'hex'))
  expect(of('6001')).toEqual({ compiler: '0.8.1', file: 'A.sol', input: input('two') })
  expect(of('6002')).toEqual({ compiler: '0.8.2', file: 'A.sol', input: input('three') })
  expect(of('6003')).toEqual({ compiler: '0.8.3', file: 'A.sol', input: input('call') })
  expect(of('6004')).toBeUndefined()
  expect(artifacts.contractOf(Buffer.from('6003', 'hex'))).toMatchObject({ name: 'A', abi })
})
