package main

import (
	"io"
	"sync"

	"google.golang.org/grpc"
)

// answerHalfClosed makes the server answer a client that has sent its request and closed its side, as grpcurl does when
// its input ends; go-control-plane alone ends such a stream at once, often before the first response.
func answerHalfClosed(service any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	return handler(service, &patientStream{ServerStream: stream, answered: make(chan struct{})})
}

// patientStream shows the end of the requests only after the first response was sent.
type patientStream struct {
	grpc.ServerStream
	answered chan struct{}
	once     sync.Once
}

func (s *patientStream) SendMsg(message any) error {
	err := s.ServerStream.SendMsg(message)
	s.once.Do(func() { close(s.answered) })
	return err
}

func (s *patientStream) RecvMsg(message any) error {
	err := s.ServerStream.RecvMsg(message)
	if err == io.EOF {
		select {
		case <-s.answered:
		case <-s.Context().Done():
		}
	}
	return err
}
