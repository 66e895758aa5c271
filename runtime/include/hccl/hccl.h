/* Collective communication of host programs: communicators between the devices of one process, and
 * operations on streams. docs/systems.md says how to simulate several devices.
 *
 * All calls return HCCL_SUCCESS, HCCL_E_PTR for a null pointer, HCCL_E_PARA for a value outside its
 * limits, HCCL_E_NOT_FOUND for a group that does not exist and HCCL_E_NOT_SUPPORT for what davsim
 * does not do; aclGetRecentErrMsg() tells the reason. */
#ifndef DAVSIM_HCCL_H
#define DAVSIM_HCCL_H

#include "acl/acl.h"
#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A communicator of the first to the last of these devices. */
HcclResult HcclCommInitAll(uint32_t ndev, int32_t* devices, HcclComm* comms);
HcclResult HcclGetRootInfo(HcclRootInfo* rootInfo);
/* Returns when all ranks have called it, each in a thread of its own with its device set. */
HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank,
                                HcclComm* comm);
HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank,
                                      const HcclCommConfig* config, HcclComm* comm);
/* The same by the devices that a table of ranks, a JSON file, has in its server_list. */
HcclResult HcclCommInitClusterInfo(const char* clusterInfo, uint32_t rank, HcclComm* comm);
HcclResult HcclCommInitClusterInfoConfig(const char* clusterInfo, uint32_t rank,
                                         HcclCommConfig* config, HcclComm* comm);
/* A communicator of some ranks of another one, in the order of `rankIds`; waits for nobody. The
 * calling rank is rankIds[subCommRankId]. A rank that is not among them calls it with a null
 * `rankIds` and the subCommId 0xFFFFFFFF, or not at all. */
HcclResult HcclCreateSubCommConfig(HcclComm* comm, uint32_t rankNum, uint32_t* rankIds,
                                   uint64_t subCommId, uint32_t subCommRankId,
                                   HcclCommConfig* config, HcclComm* subComm);
HcclResult HcclCommDestroy(HcclComm comm);
/* Communicators that are made, operations and messages between these two are begun by HcclGroupEnd,
 * so that one thread can ask for those of several devices, and a rank can send before it receives.
 * What is wrong with one of them is returned by HcclGroupEnd. */
HcclResult HcclGroupStart(void);
HcclResult HcclGroupEnd(void);
/* For programs that mend memory of a device, which does not fail here: nothing is held up. */
HcclResult HcclCommSuspend(HcclComm comm);
HcclResult HcclCommResume(HcclComm comm);
void HcclCommConfigInit(HcclCommConfig* config);
uint32_t HcclGetCommConfigCapability(void);
/* HCCL_DETERMINISTIC: 0, 1 or 2. Sums are always made in the order of ranks. */
HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue);
HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue* configValue);

HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize);
HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank);
/* `commName` has room for 128 characters. */
HcclResult HcclGetCommName(HcclComm comm, char* commName);
HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult* asyncError);
const char* HcclGetErrorString(HcclResult code);

HcclResult HcclAllReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType,
                         HcclReduceOp op, HcclComm comm, aclrtStream stream);
HcclResult HcclAllGather(void* sendBuf, void* recvBuf, uint64_t sendCount, HcclDataType dataType,
                         HcclComm comm, aclrtStream stream);
HcclResult HcclReduceScatter(void* sendBuf, void* recvBuf, uint64_t recvCount,
                             HcclDataType dataType, HcclReduceOp op, HcclComm comm,
                             aclrtStream stream);
HcclResult HcclBroadcast(void* buf, uint64_t count, HcclDataType dataType, uint32_t root,
                         HcclComm comm, aclrtStream stream);
HcclResult HcclReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType,
                      HcclReduceOp op, uint32_t root, HcclComm comm, aclrtStream stream);
HcclResult HcclScatter(void* sendBuf, void* recvBuf, uint64_t recvCount, HcclDataType dataType,
                       uint32_t root, HcclComm comm, aclrtStream stream);
HcclResult HcclAlltoAll(const void* sendBuf, uint64_t sendCount, HcclDataType sendType,
                        const void* recvBuf, uint64_t recvCount, HcclDataType recvType,
                        HcclComm comm, aclrtStream stream);
HcclResult HcclAlltoAllV(const void* sendBuf, const void* sendCounts, const void* sdispls,
                         HcclDataType sendType, const void* recvBuf, const void* recvCounts,
                         const void* rdispls, HcclDataType recvType, HcclComm comm,
                         aclrtStream stream);
/* Counts, row by row, of what each rank sends to each; parts follow each other without gaps. */
HcclResult HcclAlltoAllVC(const void* sendBuf, const void* sendCountMatrix, HcclDataType sendType,
                          const void* recvBuf, HcclDataType recvType, HcclComm comm,
                          aclrtStream stream);
/* Counts and offsets, in elements, are arrays of uint64_t. */
HcclResult HcclAllGatherV(void* sendBuf, uint64_t sendCount, void* recvBuf, const void* recvCounts,
                          const void* recvDispls, HcclDataType dataType, HcclComm comm,
                          aclrtStream stream);
HcclResult HcclReduceScatterV(void* sendBuf, const void* sendCounts, const void* sendDispls,
                              void* recvBuf, uint64_t recvCount, HcclDataType dataType,
                              HcclReduceOp op, HcclComm comm, aclrtStream stream);
HcclResult HcclBarrier(HcclComm comm, aclrtStream stream);
/* A message meets the call of the peer, in the order of their calls. */
HcclResult HcclSend(void* sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank,
                    HcclComm comm, aclrtStream stream);
HcclResult HcclRecv(void* recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank,
                    HcclComm comm, aclrtStream stream);
/* Messages in any order, to and from this rank as well. Those between two ranks meet in the order
 * of the items of each. A rank's messages take place one behind the other, so each rank calls this
 * from a thread of its own. */
HcclResult HcclBatchSendRecv(HcclSendRecvItem* sendRecvInfo, uint32_t itemNum, HcclComm comm,
                             aclrtStream stream);

/* What kernels are handed: the context of the calling rank, as Ascend C's Hccl takes it. */
HcclResult HcclAllocComResourceByTiling(HcclComm comm, void* stream, void* mc2Tiling,
                                        void** commContext);
HcclResult HcclCreateComResource(const char* commName, uint32_t streamMode, void** commContext);
HcclResult HcclAllocComResource(HcclComm comm, uint32_t streamMode, void** commContext);
/* The window of the calling rank, and of another one. */
HcclResult HcclGetHcclBuffer(HcclComm comm, void** addr, uint64_t* size);
HcclResult HcclGetRemoteIpcHcclBuf(HcclComm comm, uint64_t remoteRank, void** addr, uint64_t* size);
/* A group is the name of a communicator. Topology: 1 is a full mesh. */
HcclResult HcomGetCommHandleByGroup(const char* group, HcclComm* commHandle);
HcclResult HcclCommGetHandleWithName(const char* commName, HcclComm* comm);
HcclResult HcomGetL0TopoTypeEx(const char* group, uint32_t* topoType, uint32_t isSetDevice);
HcclResult HcomGetRankSize(const char* group, uint32_t* rankSize);
HcclResult HcomGetRankId(const char* group, uint32_t* rankId);

#ifdef __cplusplus
}
#endif
#endif
